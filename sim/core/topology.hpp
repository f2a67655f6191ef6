#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/spring.hpp"
#include "sim/core/types.hpp"
#include "sim/field/path.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

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
  /// If given, the particles are tracers: points without mass that a velocity field carries, dx/dt = u(x, t) [m/s].
  /// Nothing else acts on them.
  std::shared_ptr<const VectorField> flow = {};
};

}  // namespace pithball::sim
