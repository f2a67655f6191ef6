#include "app/run_folder/trajectory_body.hpp"

#include <algorithm>

#include "app/base/version.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
datasets::H5mdBody trajectory_body(const sim::Model& in_time, double t) {
  const sim::Model model = in_time.at(t);
  datasets::H5mdBody body;
  body.mass = model.mass();
  body.charge = model.charge();
  body.springs = model.springs();
  if (const sim::SpringForce* springs = sim::find_springs(model)) {
    body.stiffness = springs->stiffness(model);
    body.rest_length = springs->rest_length(model);
  }
  for (const sim::KeyFrames& frames : in_time.key_frames()) {
    const std::string& name = in_time.values().block(in_time.values().block_of(frames.entries.front())).name;
    const bool told = name == "charge" || (!body.springs.empty() && (name == "stiffness" || name == "rest_length"));
    if (told && std::ranges::find(body.changing, name) == body.changing.end()) body.changing.push_back(name);
  }
  if (in_time.charge_leak()) body.changing.push_back("charge");
  body.program_version = version;
  return body;
}

datasets::H5mdBody trajectory_body(const Experiment& experiment) {
  datasets::H5mdBody body = trajectory_body(experiment.scenario.model, experiment.scenario.initial.t);
  if (experiment.population) body.attributes = experiment.population->attributes;
  return body;
}

}  // namespace pithball::app
