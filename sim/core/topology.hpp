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
  Index particle = 0;        ///< its number
  std::optional<Path> path;  ///< [m] over [s]; empty: pinned
};

/// The particles, springs and held particles; never changes during a run.
struct Topology {
  Index particles = 0;          ///< N, number of particles
  std::vector<Spring> springs;  ///< by number of the spring
  std::vector<Held> held;       ///< each particle at most once; all others are free
  /// If given, the particles are tracers: massless points advected by a velocity field, dx/dt = u(x, t) [m/s]. No
  /// forces act on them.
  std::shared_ptr<const VectorField> flow = {};
  /// Pairs of particles that stiff forces couple in addition to the springs (`StiffPotential::couplings`); the model
  /// fills them in.
  std::vector<Spring> couplings = {};
};

}  // namespace pithball::sim
