#pragma once
#include <string>

namespace pithball::sim {

/// Why a result should not be used as it is.
struct Doubt {
  std::string reason,  ///< what is wrong, with figures
      remedy;          ///< what to write instead
  /// "reason; remedy"
  std::string sentence() const { return reason + "; " + remedy; }
};

}  // namespace pithball::sim
