#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// A study of a recording of something real, in a folder of its own with its page.
struct CapturedCase {
  const char* name;  ///< of the case and of its data set
  /// Runs it on the recordings in `folder`; `quick`: the main fit and what its claims need.
  nlohmann::json (*run)(const std::string& folder, bool quick, void (*progress)(const std::string&));
  std::string (*to_text)(const nlohmann::json& result);
  std::vector<Claim> (*to_claims)(const nlohmann::json& result);
};

/// All of them.
const std::vector<CapturedCase>& captured_cases();

}  // namespace pithball::experiments
