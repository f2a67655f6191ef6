#include "experiments/demonstrations/demonstration.hpp"

#include "sim/force/drag.hpp"

namespace pithball::experiments {

using namespace app;

std::vector<Claim> flag_in_wind_claims(const DemonstrationRun& run) {
  const sim::Model& model = run.model();
  const double gust = 0.5;  // s, the period of the wind in the experiment file
  const sim::LinearDrag* drag = nullptr;
  for (const auto& term : model.terms())
    if (const auto* found = dynamic_cast<const sim::LinearDrag*>(term.get())) drag = found;
  double coefficient = 0, mass = 0;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) coefficient += drag->coefficient(model)[i], mass += model.mass()[i];

  // Mean force of the springs and dampers on the pole over the last four gusts.
  const auto& states = run.trajectory.states;
  const double from = states.back().t - 4 * gust + 1e-9;
  sim::Vec3 pull = sim::Vec3::Zero();
  double count = 0;
  for (const sim::State& state : states) {
    if (state.t < from) continue;
    Points f = Points::Zero(3, model.particles());
    model.add_forces(state, f, [](const sim::ForceTerm& term) {
      return sim::is_implicit(term) && term.traits().name != "linear_drag";
    });
    for (Index i = 0; i < model.particles(); ++i)
      if (model.is_held(i)) pull += f.col(i);
    ++count;
  }
  pull /= count;
  // The x component of the wind is uniform and constant.
  const double wind = drag->wind().value(states.back().x.col(0), states.back().t)[0];
  const double along = coefficient * wind, weight = mass * run.value("gravity").norm();
  return {claim_within("mean pull on the pole along the wind", pull[0], along, 0.02 * along, "N",
                       "drag of all free particles, c U n"),
          claim_within("mean pull on the pole downwards", -pull[2], weight, 0.02 * weight, "N", "their weight")};
}

}  // namespace pithball::experiments
