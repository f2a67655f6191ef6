#pragma once
#include <string>

#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// A sphere with particles outside, s(x) = |x − c| − R, or inside, s(x) = R − |x − c|.
class SphereObstacle final : public Obstacle {
 public:
  /// c [m], R > 0 [m]; throws InvalidArgument naming `owner.sphere_radius` otherwise.
  SphereObstacle(const std::string& owner, const Vec3& center, double radius, Side side);
  /// Reads `center`, `sphere_radius` and `side`.
  static SphereObstacle read(Settings&, const std::string& owner);

  double distance(Index, const Vec3& x, Vec3& normal) const override;
  Mat3 curvature(Index, const Vec3& x) const override;
  double thickness() const override { return side_ == Side::Outside ? 2 * radius_ : Obstacle::thickness(); }
  double room() const override { return side_ == Side::Inside ? radius_ : Obstacle::room(); }

 private:
  Vec3 center_;
  double radius_;
  Side side_;
};

}  // namespace pithball::sim
