#pragma once
#include <string>

#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// A half-space: s(x) = n·(x − p), with particles on the side of n.
class PlaneObstacle final : public Obstacle {
 public:
  /// p [m]: a point of the plane; n of any length except 0. Throws InvalidArgument naming `owner.normal` otherwise.
  PlaneObstacle(const std::string& owner, const Vec3& point, const Vec3& normal);
  /// Reads `point` and `normal`.
  static PlaneObstacle read(Settings&, const std::string& owner);

  double distance(Index, const Vec3& x, Vec3& normal) const override {
    normal = normal_;
    return normal_.dot(x - point_);
  }
  Mat3 curvature(Index, const Vec3&) const override { return Mat3::Zero(); }

 private:
  Vec3 point_, normal_;
};

}  // namespace pithball::sim
