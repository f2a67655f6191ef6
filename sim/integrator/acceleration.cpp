#include "sim/integrator/acceleration.hpp"

namespace pithball::sim {

Points acceleration(const Model& model, const State& state, Impulses* felt, double weight) {
  Points force = Points::Zero(3, model.particles());
  if (model.is_tracers()) return force;  // they have no mass to divide by
  add_forces(model, state, force, every_term, felt, weight);
  if (felt) felt->bear(model, weight, force);
  model.clear_held(force);
  return force * model.mass().cwiseInverse().asDiagonal();
}

Points stage_acceleration(const Model& model, State& stage, Impulses* felt, double weight) {
  model.place_held(stage.t, stage.x, &stage.v);
  return acceleration(model, stage, felt, weight);
}

}  // namespace pithball::sim
