#include "diff/step/implicit_euler_derivative.hpp"

#include "diff/step/force_linearization.hpp"
#include "diff/step/implicit_stage_derivative.hpp"

namespace pithball::diff {

void ImplicitEulerDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                      std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const double h = tape.h;
  ImplicitStageDerivative stage(model, tape.stages[0]);
  for (StateDirections& d : groups) {
    StageDirections in{d.x + h * d.v, d.v, {}, {}, d.values};
    place_held_variation(model, d.x, in.predictor);
    const Panel change = stage.jvp(in);
    d.v += change / h;
    d.x = in.predictor + change;
    restrict_held(model, d.x, d.v);
  }
  stage.add_cost(cost);
}

void ImplicitEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                      std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const double h = tape.h;
  ImplicitStageDerivative stage(model, tape.stages[0]);
  for (StateVariation& a : all) {
    restrict_held(model, a.x, a.v);
    StageVariation in = StageVariation::zero(model.particles(), std::move(a.values));
    stage.vjp(a.x + a.v / h, in);
    a.values = std::move(in.values);
    a.x += in.predictor;
    a.v += h * a.x + in.velocity;
    restrict_held(model, a.x, a.v);  // the predictor of a held particle is its place, not x + h v
  }
  stage.add_cost(cost);
}

void ImplicitEulerDerivative::keep_stage_matrices(const sim::Model& model, sim::StepTape& tape) const {
  for (sim::StageSolution& stage : tape.stages) ImplicitStageDerivative(model, stage).keep_matrices(stage);
}

}  // namespace pithball::diff
