#include "sim/constraint/plane_contact.hpp"

#include "sim/core/error.hpp"

namespace pithball::sim {

PlaneContact::PlaneContact(const Vec3& point, const Vec3& normal, ObstacleOptions options)
    : ObstacleContact("plane", std::move(options)), point_(point), normal_(normal.normalized()) {
  if (!(normal.norm() > 0) || !normal.allFinite() || !point.allFinite())
    throw InvalidArgument(
        {"", "constraints.plane.normal", "must be a finite vector other than 0", "", "write [0, 0, 1] for a floor"});
}

std::shared_ptr<Constraint> PlaneContact::make(Settings& settings, const Points& drawn) {
  const Vec3 point = settings.vector("point", "m", "on the plane", Vec3(Vec3::Zero()));
  const Vec3 normal = settings.vector(
      "normal", "", "towards the side where particles belong; its length does not matter", Vec3(Vec3::UnitZ()));
  return std::make_shared<PlaneContact>(point, normal, read(settings, drawn));
}

const ConstraintTraits& PlaneContact::traits() const {
  static const ConstraintTraits traits{.name = "plane", .inequality = true, .contact = true};
  return traits;
}

double PlaneContact::distance(Index, const Vec3& x, Vec3& normal) const {
  normal = normal_;
  return normal_.dot(x - point_);
}

}  // namespace pithball::sim
