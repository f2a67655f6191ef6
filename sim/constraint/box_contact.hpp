#pragma once
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/field/box_obstacle.hpp"

namespace pithball::sim {

/// An axis-aligned box: a container, whose six walls are planes, or a block that keeps particles outside, with one
/// signed distance to its surface.
class BoxContact final : public ObstacleContact {
 public:
  /// Corners with the smallest and the largest coordinates [m]; throws InvalidArgument otherwise.
  BoxContact(const Vec3& low, const Vec3& high, Side side, ObstacleOptions options)
      : BoxContact(BoxObstacle("constraints.box", low, high, side), std::move(options)) {}
  /// Of a box that was checked before.
  BoxContact(const BoxObstacle& box, ObstacleOptions options) : ObstacleContact("box", std::move(options)), box_(box) {}
  /// Reads `box: {min: …, max: …, side: inside | outside}` and the common settings of obstacles.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  /// With the same box.
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<BoxContact>(*this); }
  Index walls() const override { return box_.walls(); }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override { return box_.distance(wall, x, normal); }
  const Obstacle* solid() const override { return &box_; }

 private:
  BoxObstacle box_;
};

}  // namespace pithball::sim
