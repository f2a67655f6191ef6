#pragma once
#include <string_view>

#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Reads the maximum number of substeps or iterations per step, 1 to 1,000,000: a run can only be stopped between
/// steps, and the parts of a step are kept in memory for its derivative. Throws InvalidArgument at the key for other
/// numbers.
Index read_substep_count(Settings& settings, std::string_view key, std::string_view meaning, Index fallback);

/// Reads `max_step`, the longest substep of an adaptive integrator [s]; infinite if it is left out.
double read_max_step(Settings& settings);

}  // namespace pithball::sim
