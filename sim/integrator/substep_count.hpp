#pragma once
#include <string_view>

#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Reads how many parts of a kind one step may have, 1 to 1,000,000: a run can be stopped between steps only, and the
/// parts of one step are kept in memory for its derivative. Throws InvalidArgument, placed at the key, beyond that.
Index read_substep_count(Settings& settings, std::string_view key, std::string_view meaning, Index fallback);

}  // namespace pithball::sim
