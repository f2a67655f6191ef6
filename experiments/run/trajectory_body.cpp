#include "experiments/run/trajectory_body.hpp"

#include "experiments/version.hpp"

namespace pithball::experiments {
namespace {

/// A value that every spring has; empty if the model's forces know none of that name.
sim::Vector of_springs(const sim::Model& model, const char* name) {
  const sim::Values& values = model.values();
  const auto block = values.find(name);
  if (!block || values.block(*block).owner != sim::ValueOwner::Spring) return {};
  return values[*block];
}

}  // namespace

datasets::H5mdBody trajectory_body(const sim::Model& in_time, double t) {
  const sim::Model model = in_time.at(t);
  datasets::H5mdBody body;
  body.mass = model.mass();
  body.charge = model.charge();
  body.springs = model.springs();
  body.stiffness = of_springs(model, "stiffness");
  body.rest_length = of_springs(model, "rest_length");
  body.program_version = version;
  return body;
}

}  // namespace pithball::experiments
