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

void ImexBdf2Derivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                 std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  std::vector<Panel> x_before, v_before, force;
  for (const StateDirections& d : groups) {
    x_before.push_back(d.x);
    v_before.push_back(d.v);
    force.push_back(Panel::Zero(d.x.rows(), d.x.cols()));
    add_force_jvps(model, tape.before, d, force.back(), sim::is_fully_explicit);
    cost.force_products += d.count();
  }
  if (is_first(tape)) {
    const ImexMidpointDerivative first;
    for (StateDirections& d : groups) first.start_tangent(model, tape.before, d, cost);
    first.tangent(model, tape, groups, cost);
    for (std::size_t c = 0; c < groups.size(); ++c)
      groups[c].history = {groups[c].x - x_before[c], std::move(v_before[c]), std::move(force[c])};
    return;
  }
  const double g = tape.stages[0].problem.g, part = extrapolation(tape);
  std::vector<StageDirections> in;
  std::vector<Panel> moves;
  for (std::size_t c = 0; c < groups.size(); ++c) {
    StateDirections& d = groups[c];
    const std::vector<Panel>& past = d.history;
    d.v += part * (d.v - past[1]);
    moves.push_back(part * past[0] + g * d.v);
    clear_held(model, moves[c]);
    in.push_back({d.x + moves[c], d.v, d.x + past[0], 2 * force[c] - past[2], d.values});
    clear_held(model, in[c].velocity);
  }
  StageDerivative stage(model, tape.stages[0]);
  const std::vector<Panel> change = stage.jvp(in);
  for (std::size_t c = 0; c < groups.size(); ++c) {
    StateDirections& d = groups[c];
    d.v += change[c] / g;
    moves[c] += change[c];
    d.x += moves[c];
    restrict_held(model, d.x, d.v);
    d.history = {std::move(moves[c]), std::move(v_before[c]), std::move(force[c])};
  }
  add_cost(stage, cost);
}

namespace {

/// The transpose of the first step, from the gradients of its history's displacement and velocity.
void first_adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<std::vector<Points>>& later,
                   std::vector<StateVariation>& all, DerivativeCost& cost) {
  const ImexMidpointDerivative first;
  for (std::size_t c = 0; c < all.size(); ++c) {
    all[c].history.assign(1, Points::Zero(3, model.particles()));
    all[c].x += later[c][0];
  }
  first.adjoint(model, tape, all, cost);
  for (std::size_t c = 0; c < all.size(); ++c) {
    first.start_adjoint(model, tape.before, all[c], cost);
    all[c].history.clear();
    all[c].x -= later[c][0];
    all[c].v += later[c][1];
  }
}

/// The transpose of a later step; adds what arrives at the explicit forces of its beginning to later[2].
void later_adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<std::vector<Points>>& later,
                   std::vector<StateVariation>& all, DerivativeCost& cost) {
  const double g = tape.stages[0].problem.g, part = extrapolation(tape);
  std::vector<StageVariation> inputs;
  std::vector<Points> moves, ends;
  for (std::size_t c = 0; c < all.size(); ++c) {
    inputs.push_back(StageVariation::zero(model.particles(), std::move(all[c].values)));
    moves.push_back(all[c].x + later[c][0]);
    ends.push_back(moves[c] + all[c].v / g);
  }
  StageDerivative stage(model, tape.stages[0]);
  stage.vjp(std::move(ends), inputs);
  add_cost(stage, cost);
  for (std::size_t c = 0; c < all.size(); ++c) {
    StageVariation& in = inputs[c];
    StateVariation& a = all[c];
    Points& gmove = moves[c];
    a.values = std::move(in.values);
    later[c][2] += 2 * in.force;
    gmove += in.predictor;
    model.clear_held(gmove);
    const Points gvelocity = a.v + g * gmove + in.velocity;
    a.x += in.predictor + in.lagged;
    a.v = (1 + part) * gvelocity + later[c][1];
    a.history = {part * gmove + in.lagged, -part * gvelocity, -in.force};
    model.clear_held(a.history[0]);
  }
}

}  // namespace

void ImexBdf2Derivative::adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& all,
                                 DerivativeCost& cost) const {
  std::vector<std::vector<Points>> later;
  for (StateVariation& a : all) {
    a.history.resize(3, Points::Zero(3, model.particles()));  // nothing follows the last step
    later.push_back(std::move(a.history));
    restrict_held(model, a.x, a.v);
  }
  (is_first(tape) ? first_adjoint : later_adjoint)(model, tape, later, all, cost);
  for (std::size_t c = 0; c < all.size(); ++c) {
    add_force_vjp(model, tape.before, later[c][2], all[c], sim::is_fully_explicit);
    ++cost.force_products;
    restrict_held(model, all[c].x, all[c].v);
  }
}

}  // namespace pithball::diff
