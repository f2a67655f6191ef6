#pragma once
#include <cmath>

#include "diff/rollout/rollout.hpp"

namespace pithball::tests {

/// So many directions through all values and the whole start of a scenario, each value in units of itself.
inline Eigen::MatrixXd some_directions(const diff::Scenario& s, sim::Index count) {
  const sim::Vector values = s.physical_values();
  Eigen::MatrixXd directions(s.size(), count);
  for (sim::Index p = 0; p < count; ++p)
    for (sim::Index i = 0; i < s.size(); ++i) directions(i, p) = values[i] * std::sin(7 * p + i) * 0.3;
  return directions;
}

}  // namespace pithball::tests
