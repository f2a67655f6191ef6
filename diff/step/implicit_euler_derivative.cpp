#include "diff/step/implicit_euler_derivative.hpp"

#include "diff/step/force_linearization.hpp"
#include "diff/step/implicit_stage_derivative.hpp"

namespace pithball::diff {

void ImplicitEulerDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                      std::vector<StateVariation>& d, const Eigen::MatrixXd& dvalues,
                                      DerivativeCost& cost) const {
  const double h = tape.h;
  ImplicitStageDerivative stage(model, tape.stages[0]);
  for (std::size_t p = 0; p < d.size(); ++p) {
    auto& [dx, dv, none] = d[p];
    StageVariation in{dx + h * dv, dv, {}, {}, dvalues.col(p)};
    place_held_variation(model, dx, in.predictor);
    const Points change = stage.jvp(in);
    dv += change / h;
    dx = in.predictor + change;
    restrict_held(model, dx, dv);
  }
  stage.add_cost(cost);
}

void ImplicitEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a,
                                      Vector& gvalues, DerivativeCost& cost) const {
  const double h = tape.h;
  restrict_held(model, a.x, a.v);
  ImplicitStageDerivative stage(model, tape.stages[0]);
  StageVariation g = StageVariation::zero(a.x.cols(), gvalues.size());
  stage.vjp(a.x + a.v / h, g);
  gvalues += g.values;
  a.x += g.predictor;
  a.v += h * a.x + g.velocity;
  restrict_held(model, a.x, a.v);  // the predictor of a held particle is its place, not x + h v
  stage.add_cost(cost);
}

void ImplicitEulerDerivative::keep_stage_matrices(const sim::Model& model, sim::StepTape& tape) const {
  for (sim::StageSolution& stage : tape.stages) ImplicitStageDerivative(model, stage).keep_matrices(stage);
}

}  // namespace pithball::diff
