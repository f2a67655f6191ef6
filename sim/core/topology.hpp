#pragma once
#include <optional>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/field/path.hpp"

namespace pithball::sim {

/// The two ends of a spring, as particle indices; b = x_i − x_j.
struct Spring {
  Index i = 0, j = 0;
};

/// A particle whose motion is prescribed: pinned where it starts (no path), or driven along a path.
struct Held {
  Index particle = 0;
  std::optional<Path> path;
};

/// Who exists and who is tied to whom; never changes during a run.
struct Topology {
  Index particles = 0;
  std::vector<Spring> springs;
  std::vector<Held> held;
};

}  // namespace pithball::sim
