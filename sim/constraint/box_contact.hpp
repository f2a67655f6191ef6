#pragma once
#include "sim/constraint/obstacle_contact.hpp"

namespace pithball::sim {

/// A box along the axes: a container, whose six walls are planes, or a block that stops particles outside, with one
/// signed distance to its surface.
class BoxContact final : public ObstacleContact {
 public:
  enum class Side { Inside, Outside };  ///< where particles belong
  /// Corners with the smallest and the largest coordinates [m]; throws InvalidArgument if they are not.
  BoxContact(const Vec3& low, const Vec3& high, Side side, ObstacleOptions options);
  /// Reads `box: {low: …, high: …, side: inside | outside}` and what every obstacle has.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<BoxContact>(*this); }
  Index walls() const override { return side_ == Side::Inside ? 6 : 1; }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override;

 private:
  Vec3 low_, high_;
  Side side_;
};

}  // namespace pithball::sim
