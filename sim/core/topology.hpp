#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/spring.hpp"
#include "sim/core/types.hpp"
#include "sim/field/path.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// A particle with prescribed motion: pinned at its initial position (no path), or driven along a path.
struct Held {
  Index particle = 0;
  std::optional<Path> path;
};

/// The particles, springs and held particles; never changes during a run.
struct Topology {
  Index particles = 0;
  std::vector<Spring> springs;
  std::vector<Held> held;
  /// If given, the particles are tracers: massless points advected by a velocity field, dx/dt = u(x, t) [m/s]. No
  /// forces act on them.
  std::shared_ptr<const VectorField> flow = {};
  /// Pairs of particles that stiff forces couple beside the springs (`StiffPotential::couplings`); the model fills them
  /// in.
  std::vector<Spring> couplings = {};
};

}  // namespace pithball::sim
