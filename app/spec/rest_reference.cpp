#include "app/spec/rest_reference.hpp"

#include <cmath>

#include "optim/residual/value_gradients.hpp"

namespace pithball::app {

Points rest_errors(const Recording& recording) {
  Points errors = recording.motion.rest_error;
  const optim::ReadingNoise& noise = recording.observation.noise;
  for (Index m = 0; m < errors.cols(); ++m)
    for (Index a = 0; a < 3; ++a)
      if (std::isnan(errors(a, m)))
        errors(a, m) = noise.origin == optim::SigmaOrigin::Guess ? 0 : noise.component_sigma(m, static_cast<int>(a));
  return errors;
}

void hold_rest_error(Recording& recording) {
  const Points errors = rest_errors(recording);
  optim::ValueError held;
  held.root = errors.reshaped().asDiagonal();
  for (Index k = 0; k < errors.size(); ++k)
    held.entries.push_back(optim::reference_entry(recording.own.scenario, k / 3, k % 3));
  recording.known.errors.push_back(std::move(held));
}

void refer_to_rest(const Node& node, const Points& rest, diff::Scenario& scenario, optim::Observation& seen) {
  if (!scenario.rest_near) {
    scenario.rest_near = scenario.initial.x;
    scenario.initial.x.setZero();  // displacement from rest
    scenario.initial.v.setZero();
  }
  seen.reference.kind = optim::Reference::Kind::Start;
  seen.reference.observed = rest;
  const sim::Mat3 turned_back = seen.recording_frame.rotation_matrix().transpose() / seen.recording_frame.scale();
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    Vec3 displacement = Vec3::Zero();
    for (const auto& [vertex, weight] : seen.markers[m].vertices)
      displacement += weight * scenario.initial.x.col(vertex);
    seen.reference.observed.col(m) += turned_back * displacement;
    for (Index a = 0; a < 3; ++a) {
      bool used = false;
      for (std::size_t f = 0; f < seen.times.size() && !used; ++f) used = !std::isnan(seen.sight(f, m)[a]);
      if (used && std::isnan(rest(a, m)))
        node.reject("rest_frames", "must show every marker that is used", "marker '" + seen.markers[m].name + "' never",
                    "choose other frames, or leave the marker out");
    }
  }
}

}  // namespace pithball::app
