#include "diff/step/imex_euler_derivative.hpp"

#include "diff/step/flow_chain.hpp"
#include "diff/step/force_linearization.hpp"
#include "diff/step/stage_derivative.hpp"
#include "sim/integrator/imex_euler.hpp"

namespace pithball::diff {

using sim::ImexEuler;

namespace {
/// The flow that makes u of the velocities v before the step.
FlowChain turn(const sim::Model& model, const sim::StepTape& tape) {
  return {model, tape.before, tape.h, {sim::FlowOrder::Forward, sim::is_turn}};
}
}  // namespace

void ImexEulerDerivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& d,
                                  const Eigen::MatrixXd& dvalues, DerivativeCost& cost) const {
  const double h = tape.h;
  StageDerivative stage(model, tape.stages[0]);
  const FlowChain turned = turn(model, tape);
  for (std::size_t p = 0; p < d.size(); ++p) {
    Points& dx = d[p].x;
    Points& dv = d[p].v;
    const sim::Variation direction{dx, dv, dvalues.col(p)};
    turned.jvp(model, tape.before, h, dx, direction.values, dv);  // dv is δu from here
    StageVariation in{dx + h * dv, dv, dx, Points::Zero(3, dx.cols()), direction.values};
    place_held_variation(model, dx, in.predictor);
    model.clear_held(in.velocity);
    add_force_jvp(model, tape.before, direction, in.force, ImexEuler::is_explicit);
    ++cost.force_products;
    const Points change = stage.jvp(in);
    dv += change / h;
    dx = in.predictor + change;
    restrict_held(model, dx, dv);
  }
  add_cost(stage, cost);
}

void ImexEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a,
                                  Vector& gvalues, DerivativeCost& cost) const {
  const double h = tape.h;
  restrict_held(model, a.x, a.v);
  StageDerivative stage(model, tape.stages[0]);
  StageVariation g = StageVariation::zero(a.x.cols(), gvalues.size());
  stage.vjp(a.x + a.v / h, g);

  const Points gy = a.x + g.predictor;
  sim::Variation in{gy + g.lagged, a.v + h * gy + g.velocity, std::move(gvalues)};
  restrict_held(model, in.x, in.v);  // the predictor of a held particle is its place, not x + h u
  in.values += g.values;
  turn(model, tape).vjp(model, tape.before, h, in.v, in.x, in.values);
  add_force_vjp(model, tape.before, g.force, in, ImexEuler::is_explicit);
  ++cost.force_products;
  a.x = std::move(in.x);
  a.v = std::move(in.v);
  gvalues = std::move(in.values);
  add_cost(stage, cost);
}

}  // namespace pithball::diff
