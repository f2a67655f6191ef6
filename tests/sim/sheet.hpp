#pragma once
#include "sim/core/topology.hpp"

namespace pithball::tests {

/// A square sheet of springs along its rows and columns, its first particle held. Springs along columns run backward.
inline sim::Topology sheet(sim::Index side) {
  sim::Topology t{.particles = side * side, .springs = {}, .held = {{0, {}}}};
  for (sim::Index a = 0; a < side; ++a)
    for (sim::Index b = 0; b + 1 < side; ++b) {
      t.springs.push_back({a * side + b, a * side + b + 1});
      t.springs.push_back({(b + 1) * side + a, b * side + a});
    }
  return t;
}

}  // namespace pithball::tests
