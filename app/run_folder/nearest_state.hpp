#pragma once
#include <cstddef>
#include <vector>

namespace pithball::app {

/// Index of the snapshot whose time is nearest to `time`, among `times` [s], which is not empty.
std::size_t nearest_state(const std::vector<double>& times, double time);

}  // namespace pithball::app
