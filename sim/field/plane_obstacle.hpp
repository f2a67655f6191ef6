#pragma once
#include <string>

#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// A half-space: s(x) = n·(x − p), on whose side n points particles belong.
class PlaneObstacle final : public Obstacle {
 public:
  /// p [m] on the plane; n of any length but 0. Throws InvalidArgument otherwise, naming `owner.normal`.
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
