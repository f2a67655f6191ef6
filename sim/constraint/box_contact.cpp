#include "sim/constraint/box_contact.hpp"

#include "sim/core/error.hpp"

namespace pithball::sim {

BoxContact::BoxContact(const Vec3& low, const Vec3& high, Side side, ObstacleOptions options)
    : ObstacleContact("box", std::move(options)), low_(low), high_(high), side_(side) {
  if (!(low.array() < high.array()).all())
    throw InvalidArgument({"", "constraints.box.high", "must be above `low` in every coordinate",
                           "a component that is not", "exchange the two"});
}

std::shared_ptr<Constraint> BoxContact::make(Settings& settings, const Points& drawn) {
  const Vec3 low = settings.vector("low", "m", "corner with the smallest coordinates");
  Vec3 high = settings.vector("high", "m", "corner with the largest coordinates");
  if (settings.describing()) high = low + Vec3::Ones();
  const bool inside = settings.choice("side", {"inside", "outside"}, "where particles belong", "inside") == "inside";
  return std::make_shared<BoxContact>(low, high, inside ? Side::Inside : Side::Outside, read(settings, drawn));
}

const ConstraintTraits& BoxContact::traits() const {
  static const ConstraintTraits traits{.name = "box", .inequality = true, .contact = true};
  return traits;
}

double BoxContact::distance(Index wall, const Vec3& x, Vec3& normal) const {
  if (side_ == Side::Inside) {
    const Index axis = wall / 2;
    normal = wall % 2 == 0 ? Vec3(Vec3::Unit(axis)) : Vec3(-Vec3::Unit(axis));
    return wall % 2 == 0 ? x[axis] - low_[axis] : high_[axis] - x[axis];
  }
  const Vec3 nearest = x.cwiseMax(low_).cwiseMin(high_), away = x - nearest;
  const double outside = away.norm();
  if (outside > 0) {
    normal = away / outside;
    return outside;
  }
  double least = -1;  // inside the block: the nearest wall
  for (Index axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const double depth = sign < 0 ? x[axis] - low_[axis] : high_[axis] - x[axis];
      if (least >= 0 && depth >= least) continue;
      least = depth;
      normal = sign * Vec3::Unit(axis);
    }
  return -least;
}

}  // namespace pithball::sim
