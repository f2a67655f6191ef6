#pragma once
// An instrument of every measurement kind, for suites over the registry.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/measurement/kinds/acceleration.hpp"
#include "optim/measurement/kinds/angle.hpp"
#include "optim/measurement/kinds/camera.hpp"
#include "optim/measurement/kinds/distance.hpp"
#include "optim/measurement/kinds/force.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/kinds/velocity.hpp"

namespace pithball::test {

/// On a body of four particles; what differs within a kind has an entry of its own.
inline std::vector<std::pair<std::string, std::shared_ptr<const optim::Instrument>>> instrument_specimens() {
  using namespace optim;
  const auto vertex = [](Index i) { return WeightedVertices{{i, 1.0}}; };
  const PointPair first{vertex(0), {{1, 0.3}, {2, 0.7}}}, second{vertex(1), vertex(3)};
  const Vec3 axis = Vec3(0.2, -0.4, 1).normalized();
  Camera lens{.aspect = 1.1};
  Camera far;
  far.orthographic = true;
  return {{"point", make_point_instrument()},
          {"point: displacements", make_point_instrument(true)},
          {"camera", make_camera_instrument(lens)},
          {"camera: orthographic", make_camera_instrument(far)},
          {"angle", make_angle_instrument({{first, Vec3(1, 0.2, -0.3), {}, axis}})},
          {"angle: of two segments", make_angle_instrument({{first, Vec3::UnitX(), second, axis}})},
          {"distance", make_distance_instrument({first})},
          {"velocity", make_velocity_instrument()},
          {"acceleration", make_acceleration_instrument()},
          {"force", make_force_instrument(4, {{0, 2}})}};
}

}  // namespace pithball::test
