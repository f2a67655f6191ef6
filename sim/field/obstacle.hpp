#pragma once
#include <limits>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// A static obstacle for particles, given by the signed distances s(x) of its walls, positive on the side of the
/// particles. Shared by constraints and penalty forces.
class Obstacle {
 public:
  virtual ~Obstacle() = default;
  /// Number of walls, each with its own distance.
  virtual Index walls() const { return 1; }
  /// s(x) [m] of a wall and its gradient, a unit vector; 0 if undefined.
  virtual double distance(Index wall, const Vec3& x, Vec3& normal) const = 0;
  /// ∂²s/∂x² of a wall [1/m]: symmetric, 0 along the normal, positive semidefinite for a convex wall and negative
  /// semidefinite for a concave one; 0 where s has no second derivative.
  virtual Mat3 curvature(Index wall, const Vec3& x) const = 0;
  /// The shortest way through it [m]; infinite if it has no other side.
  virtual double thickness() const { return std::numeric_limits<double>::infinity(); }
  /// Spheres with a radius below this fit [m].
  virtual double room() const { return std::numeric_limits<double>::infinity(); }
};

/// The side of a closed surface on which particles are.
enum class Side { Inside, Outside };

}  // namespace pithball::sim
