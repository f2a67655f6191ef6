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
  double part;         ///< of the step, in which forces are not looked at: 1, or that of the longest substep
};

/// A particle that flew through something between two looks at the forces.
struct Passage {
  Index i,     ///< the particle
      other;   ///< the other one; −1: an obstacle
  double way,  ///< relative to it between the looks [m]
      size;    ///< of what it flew through, with the particle's own [m]
};

/// Whether a passage is farther than another, or than none, in sizes of what was passed.
bool is_farther(const Passage& one, const std::optional<Passage>& other);

/// The farthest passage among spheres of these radii [m], N, where 0 meets none: two that flew farther relative to each
/// other than the sum of their radii, on a way on which they overlap. Empty if there is none.
std::optional<Passage> find_passage(const Flight& flight, const Vector& radius);

/// The same of some particles, as spheres of these radii [m], N, through an obstacle that is thinner than their way.
std::optional<Passage> find_passage(const Flight& flight, const Vector& radius, const std::vector<Index>& particles,
                                    const Obstacle& obstacle);

}  // namespace pithball::sim
