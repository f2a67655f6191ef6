#include "sim/constraint/plane_contact.hpp"

namespace pithball::sim {

std::shared_ptr<Constraint> PlaneContact::make(Settings& settings, const Points& drawn) {
  const PlaneObstacle plane = PlaneObstacle::read(settings, "constraints.plane");
  return std::make_shared<PlaneContact>(plane, read(settings, drawn));
}

const ConstraintTraits& PlaneContact::traits() const {
  static const ConstraintTraits traits{.name = "plane", .inequality = true};
  return traits;
}

}  // namespace pithball::sim
