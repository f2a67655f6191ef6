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

/// An axis-aligned box: a container, whose six walls are planes, or a block with particles outside, with one signed
/// distance to its surface.
class BoxObstacle final : public Obstacle {
 public:
  /// Corners with the smallest and the largest coordinates [m]; throws InvalidArgument naming `owner.max` otherwise.
  BoxObstacle(const std::string& owner, const Vec3& low, const Vec3& high, Side side);
  /// Reads `low`, `high` and `side`.
  static BoxObstacle read(Settings&, const std::string& owner);

  Index walls() const override { return side_ == Side::Inside ? 6 : 1; }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override;
  Mat3 curvature(Index wall, const Vec3& x) const override;
  double thickness() const override {
    return side_ == Side::Outside ? (high_ - low_).minCoeff() : Obstacle::thickness();
  }
  double room() const override { return side_ == Side::Inside ? (high_ - low_).minCoeff() / 2 : Obstacle::room(); }

 private:
  Vec3 low_, high_;
  Side side_;
};

}  // namespace pithball::sim
