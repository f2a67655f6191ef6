#include "app/run_folder/nearest_state.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::app {

std::size_t nearest_state(const std::vector<double>& times, double time) {
  const auto nearest = std::min_element(times.begin(), times.end(),
                                        [time](double a, double b) { return std::abs(a - time) < std::abs(b - time); });
  return nearest - times.begin();
}

}  // namespace pithball::app
