#pragma once
#include <limits>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// A thing that rests and that particles shall not enter, as the signed distances s(x) of its walls, positive where
/// particles belong. Constraints and penalty forces share it.
class Obstacle {
 public:
  virtual ~Obstacle() = default;
  /// How many walls have a distance of their own.
  virtual Index walls() const { return 1; }
  /// s(x) [m] of a wall and its gradient, a unit vector; 0 where there is none.
  virtual double distance(Index wall, const Vec3& x, Vec3& normal) const = 0;
  /// ∂²s/∂x² of a wall [1/m]: symmetric, 0 along the normal, and of one sign, ≥ 0 where the wall bulges toward the
  /// particles and ≤ 0 where it is hollow; 0 where s has no second derivative.
  virtual Mat3 curvature(Index wall, const Vec3& x) const = 0;
  /// Spheres of a radius below this have room [m].
  virtual double room() const { return std::numeric_limits<double>::infinity(); }
};

/// On which side of a closed surface particles belong.
enum class Side { Inside, Outside };

}  // namespace pithball::sim
