#pragma once
#include <string>

#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

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
