#include "experiments/run/nearest_state.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::experiments {

std::size_t nearest_state(const std::vector<sim::State>& states, double time) {
  const auto nearest = std::min_element(states.begin(), states.end(), [time](const auto& a, const auto& b) {
    return std::abs(a.t - time) < std::abs(b.t - time);
  });
  return static_cast<std::size_t>(nearest - states.begin());
}

}  // namespace pithball::experiments
