#pragma once
#include <cstddef>
#include <vector>

namespace pithball::app {

/// Number of the snapshot whose time, of these [s], is nearest to `time`; there must be one.
std::size_t nearest_state(const std::vector<double>& times, double time);

}  // namespace pithball::app
