#include "sim/constraint/box_contact.hpp"

namespace pithball::sim {

std::shared_ptr<Constraint> BoxContact::make(Settings& settings, const Points& drawn) {
  const BoxObstacle box = BoxObstacle::read(settings, "constraints.box");
  return std::make_shared<BoxContact>(box, read(settings, drawn));
}

const ConstraintTraits& BoxContact::traits() const {
  static const ConstraintTraits traits{.name = "box", .inequality = true};
  return traits;
}

}  // namespace pithball::sim
