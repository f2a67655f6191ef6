#include "diff/step/imex_bdf2_derivative.hpp"

#include "diff/step/force_linearization.hpp"
#include "diff/step/imex_midpoint_derivative.hpp"
#include "diff/step/stage_derivative.hpp"

namespace pithball::diff {
namespace {

/// The first step is imex_midpoint's, whose history is one force.
bool is_first(const sim::StepTape& tape) { return tape.history_before.size() == 1; }

/// What a step adds of the last displacement and change of velocity: 1/3, or 0 in a step of backward Euler.
double extrapolation(const sim::StepTape& tape) { return tape.stages[0].problem.g < tape.h ? 1.0 / 3 : 0; }

}  // namespace

void ImexBdf2Derivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& d,
                                 const Eigen::MatrixXd& dvalues, DerivativeCost& cost) const {
  std::vector<StateVariation> before = d;
  std::vector<Points> dforce(d.size(), Points::Zero(3, tape.before.x.cols()));
  for (std::size_t p = 0; p < d.size(); ++p) {
    const sim::Variation direction{d[p].x, d[p].v, dvalues.col(p)};
    add_force_jvp(model, tape.before, direction, dforce[p], sim::is_fully_explicit);
    ++cost.force_products;
  }
  if (is_first(tape)) {
    const ImexMidpointDerivative first;
    for (std::size_t p = 0; p < d.size(); ++p) first.start_tangent(model, tape.before, d[p], dvalues.col(p), cost);
    first.tangent(model, tape, d, dvalues, cost);
    for (std::size_t p = 0; p < d.size(); ++p)
      d[p].history = {d[p].x - before[p].x, std::move(before[p].v), std::move(dforce[p])};
    return;
  }
  const double g = tape.stages[0].problem.g, part = extrapolation(tape);
  StageDerivative stage(model, tape.stages[0]);
  for (std::size_t p = 0; p < d.size(); ++p) {
    auto& [dx, dv, past] = d[p];
    dv += part * (dv - past[1]);
    Points move = part * past[0] + g * dv;
    model.clear_held(move);
    StageVariation in{dx + move, dv, dx + past[0], 2 * dforce[p] - past[2], dvalues.col(p)};
    model.clear_held(in.velocity);
    const Points change = stage.jvp(in);
    dv += change / g;
    move += change;
    dx += move;
    restrict_held(model, dx, dv);
    past = {std::move(move), std::move(before[p].v), std::move(dforce[p])};
  }
  add_cost(stage, cost);
}

void ImexBdf2Derivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a, Vector& gvalues,
                                 DerivativeCost& cost) const {
  const Index n = a.x.cols();
  a.history.resize(3, Points::Zero(3, n));  // nothing follows the last step
  std::vector<Points> later = std::move(a.history);
  Points gforce = std::move(later[2]);
  restrict_held(model, a.x, a.v);
  if (is_first(tape)) {
    const ImexMidpointDerivative first;
    a.history.assign(1, Points::Zero(3, n));
    a.x += later[0];
    first.adjoint(model, tape, a, gvalues, cost);
    first.start_adjoint(model, tape.before, a, gvalues, cost);
    a.history.clear();
    a.x -= later[0];
    a.v += later[1];
  } else {
    const double g = tape.stages[0].problem.g, part = extrapolation(tape);
    StageDerivative stage(model, tape.stages[0]);
    StageVariation in = StageVariation::zero(n, gvalues.size());
    Points gmove = a.x + later[0];
    stage.vjp(gmove + a.v / g, in);
    add_cost(stage, cost);
    gvalues += in.values;
    gforce += 2 * in.force;
    gmove += in.predictor;
    model.clear_held(gmove);
    const Points gvelocity = a.v + g * gmove + in.velocity;
    a.x += in.predictor + in.lagged;
    a.v = (1 + part) * gvelocity + later[1];
    a.history = {part * gmove + in.lagged, -part * gvelocity, -in.force};
    model.clear_held(a.history[0]);
  }
  sim::Variation back{std::move(a.x), std::move(a.v), std::move(gvalues)};
  add_force_vjp(model, tape.before, gforce, back, sim::is_fully_explicit);
  ++cost.force_products;
  a.x = std::move(back.x);
  a.v = std::move(back.v);
  gvalues = std::move(back.values);
  restrict_held(model, a.x, a.v);
}

}  // namespace pithball::diff
