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

void ImexEulerDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                  std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const double h = tape.h;
  const FlowChain turned = turn(model, tape);
  std::vector<StageDirections> in;
  for (StateDirections& d : groups) {
    Panel force = Panel::Zero(d.x.rows(), d.x.cols());
    add_force_jvps(model, tape.before, d, force, ImexEuler::is_explicit);
    cost.force_products += d.count();
    turned.jvp(model, tape.before, h, d);  // d.v is δu from here
    in.push_back({d.x + h * d.v, d.v, d.x, std::move(force), d.values});
    place_held_variation(model, d.x, in.back().predictor);
    clear_held(model, in.back().velocity);
  }
  StageDerivative stage(model, tape.stages[0]);
  const std::vector<Panel> change = stage.jvp(in);
  for (std::size_t c = 0; c < groups.size(); ++c) {
    StateDirections& d = groups[c];
    d.v += change[c] / h;
    d.x = in[c].predictor + change[c];
    restrict_held(model, d.x, d.v);
  }
  add_cost(stage, cost);
}

void ImexEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& all,
                                  DerivativeCost& cost) const {
  const double h = tape.h;
  std::vector<Points> ends;
  std::vector<StageVariation> in;
  for (StateVariation& a : all) {
    restrict_held(model, a.x, a.v);
    ends.push_back(a.x + a.v / h);
    in.push_back(StageVariation::zero(model.particles(), std::move(a.values)));
  }
  StageDerivative stage(model, tape.stages[0]);
  stage.vjp(std::move(ends), in);
  const FlowChain turned = turn(model, tape);
  for (std::size_t c = 0; c < all.size(); ++c) {
    StateVariation& a = all[c];
    a.values = std::move(in[c].values);
    a.x += in[c].predictor;
    a.v += h * a.x + in[c].velocity;
    a.x += in[c].lagged;
    restrict_held(model, a.x, a.v);  // the predictor of a held particle is its place, not x + h u
    turned.vjp(model, tape.before, h, a);
    add_force_vjp(model, tape.before, in[c].force, a, ImexEuler::is_explicit);
    ++cost.force_products;
  }
  add_cost(stage, cost);
}

}  // namespace pithball::diff
