#pragma once
#include <vector>

#include "sim/core/state.hpp"

namespace pithball::experiments {

/// Number of the kept state whose time is nearest to `time` [s]; there must be one.
std::size_t nearest_state(const std::vector<sim::State>& states, double time);

}  // namespace pithball::experiments
