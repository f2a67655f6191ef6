#pragma once
#include <string>

#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// A sphere that particles surround, s(x) = |x − c| − R, or that contains them, s(x) = R − |x − c|.
class SphereObstacle final : public Obstacle {
 public:
  /// c [m], R > 0 [m]; throws InvalidArgument otherwise, naming `owner.sphere_radius`.
  SphereObstacle(const std::string& owner, const Vec3& center, double radius, Side side);
  /// Reads `center`, `sphere_radius` and `side`.
  static SphereObstacle read(Settings&, const std::string& owner);

  double distance(Index, const Vec3& x, Vec3& normal) const override;
  Mat3 curvature(Index, const Vec3& x) const override;
  double room() const override { return side_ == Side::Inside ? radius_ : Obstacle::room(); }

 private:
  Vec3 center_;
  double radius_;
  Side side_;
};

}  // namespace pithball::sim
