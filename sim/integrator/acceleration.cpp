#include "sim/integrator/acceleration.hpp"

namespace pithball::sim {

Points acceleration(const Model& model, const State& state) {
  Points force = Points::Zero(3, model.particles());
  if (model.is_tracers()) return force;  // they have no mass to divide by
  model.add_forces(state, force, [](const ForceTraits&) { return true; });
  model.clear_held(force);
  return force * model.mass().cwiseInverse().asDiagonal();
}

Points stage_acceleration(const Model& model, State& stage) {
  model.place_held(stage.t, stage.x, &stage.v);
  return acceleration(model, stage);
}

}  // namespace pithball::sim
