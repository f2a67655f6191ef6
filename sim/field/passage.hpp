#pragma once
#include <optional>
#include <vector>

#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// The motion of particles in a step, taken as straight.
struct Flight {
  double t;            ///< at its end [s]
  const Points& from;  ///< positions at its beginning [m], 3×N
  const Points& to;    ///< at its end
  double part;         ///< longest fraction of the step without a force evaluation: 1, or that of the longest substep
};

/// A particle that flew through something between two evaluations of the forces.
struct Passage {
  Index i,     ///< the particle
      other;   ///< the other one; −1: an obstacle
  double way,  ///< relative to it between the evaluations [m]
      size;    ///< of what it flew through, plus the particle's own [m]
};

/// Whether a passage is farther than another, or than none, in sizes of what was passed.
bool is_farther(const Passage& one, const std::optional<Passage>& other);

/// The farthest passage among spheres of these radii [m], N, where 0 meets none: two that flew farther relative to each
/// other than the sum of their radii, on a path along which they overlap. Empty if there is none.
std::optional<Passage> find_passage(const Flight& flight, const Vector& radius);

/// The same of some particles, as spheres of these radii [m], N, through an obstacle that is thinner than the length of
/// their path.
std::optional<Passage> find_passage(const Flight& flight, const Vector& radius, const std::vector<Index>& particles,
                                    const Obstacle& obstacle);

}  // namespace pithball::sim
