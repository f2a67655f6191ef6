#pragma once
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/field/plane_obstacle.hpp"

namespace pithball::sim {

/// A half-space that repels particles: s(x) = n·(x − p), with particles on the side of n.
class PlaneContact final : public ObstacleContact {
 public:
  /// p [m]: a point of the plane; n of any length except 0. Throws InvalidArgument otherwise.
  PlaneContact(const Vec3& point, const Vec3& normal, ObstacleOptions options)
      : PlaneContact(PlaneObstacle("constraints.plane", point, normal), std::move(options)) {}
  /// Of a plane that was checked before.
  PlaneContact(const PlaneObstacle& plane, ObstacleOptions options)
      : ObstacleContact("plane", std::move(options)), plane_(plane) {}
  /// Reads `plane: {point: …, normal: …}` and the common settings of obstacles.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  /// With the same plane.
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<PlaneContact>(*this); }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override { return plane_.distance(wall, x, normal); }

 private:
  PlaneObstacle plane_;
};

}  // namespace pithball::sim
