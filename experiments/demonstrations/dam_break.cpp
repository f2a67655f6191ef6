#include "experiments/demonstrations/demonstration.hpp"

#include <algorithm>

#include "sim/force/sph_fluid.hpp"

namespace pithball::experiments {

using namespace app;

std::vector<Claim> dam_break_claims(const DemonstrationRun& run) {
  const sim::Model& model = run.model();
  const auto& groups = run.experiment.body.vertex_groups;
  const auto& water = groups.at("water");
  // From the experiment file: a column 0.5 m wide and 1 m high in a tank of 1.5 m.
  const double tank = 1.5, level = 0.5 * 1 / tank;
  double mass = 0;
  for (const Index i : water) mass += model.mass()[i];

  // Means over the last second.
  double height = 0, carried = 0, count = 0;
  Index lost = 0;
  for (const sim::State& state : run.trajectory.states) {
    if (state.t < run.trajectory.states.back().t - 1) continue;
    double weighted = 0;
    for (const Index i : water) weighted += model.mass()[i] * state.x(2, i);
    height += weighted / mass;
    Points f = Points::Zero(3, model.particles());
    model.add_forces(state, f, [](const sim::ForceTerm& term) { return term.traits().name == "sph_pressure"; });
    for (const char* wall : {"floor", "left_wall", "right_wall"})
      for (const Index i : groups.at(wall)) carried -= f(2, i);
    ++count;
  }
  for (const Index i : water) {
    const auto x = run.trajectory.states.back().x.col(i);
    lost += x[0] < 0 || x[0] > tank || x[2] < 0;
  }
  height /= count, carried /= count;
  const double weight = mass * run.value("gravity").norm();
  return {claim_within("height of the water's center, at rest", height, level / 2, 0.05 * level / 2, "m",
                       "half the level of the same area across the tank"),
          claim_within("what floor and walls carry", carried, weight, 0.03 * weight, "N/m", "the water's weight"),
          claim_within("particles outside the tank", lost, 0, 0.5, "", "walls hold")};
}

}  // namespace pithball::experiments
