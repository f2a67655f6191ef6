#include "optim/measurement/measurement_kinds.hpp"

#include "optim/measurement/kinds/acceleration.hpp"
#include "optim/measurement/kinds/angle.hpp"
#include "optim/measurement/kinds/camera.hpp"
#include "optim/measurement/kinds/distance.hpp"
#include "optim/measurement/kinds/force.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/kinds/velocity.hpp"

namespace pithball::optim {

const std::vector<const MeasurementKind*>& measurement_kinds() {
  static const std::vector<const MeasurementKind*> kinds{&point_kind(),    &camera_kind(),   &angle_kind(),
                                                         &distance_kind(), &velocity_kind(), &acceleration_kind(),
                                                         &force_kind()};
  return kinds;
}

const MeasurementKind* find_measurement_kind(const std::string& name) {
  for (const MeasurementKind* kind : measurement_kinds())
    if (kind->name == name) return kind;
  return nullptr;
}

}  // namespace pithball::optim
