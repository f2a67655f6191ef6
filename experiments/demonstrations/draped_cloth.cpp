#include <algorithm>

#include "experiments/demonstrations/demonstration.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// Returns the penalty forces of all obstacles in a state [N].
Points push_of_obstacles(const sim::Model& model, const sim::State& state) {
  Points f = Points::Zero(3, model.particles());
  model.add_forces(state, f, [](const sim::ForceTerm& term) { return term.traits().name.ends_with("_penalty"); });
  return f;
}

}  // namespace

std::vector<Claim> draped_cloth_claims(const DemonstrationRun& run) {
  const sim::Model& model = run.model();
  const auto& states = run.trajectory.states;
  const double stiffness = run.value("sphere_penalty_stiffness")[0];
  const double weight = model.mass().sum() * run.value("gravity").norm();
  const double top = 0.3 + run.value("sphere_penalty_radius").maxCoeff();  // the sphere of the experiment file
  double deepest = 0;
  for (const sim::State& state : states)
    deepest = std::max(deepest, push_of_obstacles(model, state).colwise().norm().maxCoeff() / stiffness);
  const sim::State& end = states.back();
  const double carried = push_of_obstacles(model, end).row(2).sum();
  return {
      claim_within("largest depth of a particle", deepest, 0, weight / stiffness, "m",
                   "the whole weight on one particle, w/k"),
      claim_within("what sphere and floor carry at the end", carried, weight, 0.02 * weight, "N", "the cloth's weight"),
      claim_within("top of the cloth at the end", end.x.row(2).maxCoeff(), top, 1e-3, "m", "it lies on the sphere"),
      claim_within("fastest particle at the end", end.v.colwise().norm().maxCoeff(), 0, 0.05, "m/s",
                   "it creeps by what pulls it along the sphere over c_t")};
}

}  // namespace pithball::experiments
