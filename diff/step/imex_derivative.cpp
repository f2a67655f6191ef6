#include "diff/step/imex_derivative.hpp"

#include "diff/step/force_linearization.hpp"
#include "diff/step/kick_derivative.hpp"
#include "diff/step/stage_derivative.hpp"
#include "sim/integrator/imex.hpp"

namespace pithball::diff {

using sim::ImexEuler;

namespace {
/// Returns the flow that maps the velocities v before the step to u.
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
    restrict_held(model, a.x, a.v);  // the predictor of a held particle is its prescribed position, not x + h u
    turned.vjp(model, tape.before, h, a);
    add_force_vjp(model, tape.before, in[c].force, a, ImexEuler::is_explicit);
    ++cost.force_products;
  }
  add_cost(stage, cost);
}

namespace {

using sim::ImexMidpoint;

/// The intermediate velocities of a recorded step, recomputed from the tape (g is half the step).
struct Midway {
  double g;
  Points acceleration_before;  // M⁻¹ F₀ on free particles
  Points kicked;               // v + g M⁻¹ F₀, before the first flow
  FlowChain first;             // ends with u
  Points bounced;  // u + 2 δ/g, before the second flow; held particles have their velocity at the step's end
  FlowChain second;
  Points acceleration_after;  // M⁻¹ F₁ on free particles

  Midway(const sim::Model& model, const sim::StepTape& tape)
      : g(tape.h / 2),
        acceleration_before(kick(model, tape.history_before[0], 1)),
        kicked(tape.before.v + g * acceleration_before),
        first(model, {tape.before.t, tape.before.x, kicked}, g, sim::FlowOrder::Forward),
        bounced(bounced_velocities(model, tape)),
        second(model, {tape.after.t, tape.after.x, bounced}, g, sim::FlowOrder::Backward),
        acceleration_after((tape.after.v - second.result) / g) {}

 private:
  Points bounced_velocities(const sim::Model& model, const sim::StepTape& tape) const {
    sim::State end{tape.after.t, tape.after.x, first.result + 2 / g * tape.stages[0].change};
    model.place_held(end.t, end.x, &end.v);
    return end.v;
  }
};

}  // namespace

void ImexMidpointDerivative::start_tangent(const sim::Model& model, const sim::State& s, StateDirections& d,
                                           DerivativeCost& cost) const {
  d.history.assign(1, Panel::Zero(d.x.rows(), d.x.cols()));
  add_force_jvps(model, s, d, d.history[0], ImexMidpoint::is_slow);
  cost.force_products += d.count();
}

void ImexMidpointDerivative::start_adjoint(const sim::Model& model, const sim::State& s, StateVariation& a,
                                           DerivativeCost& cost) const {
  move_force_adjoint(model, s, a, ImexMidpoint::is_slow, cost);
}

void ImexMidpointDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                     std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const Midway mid(model, tape);
  const double g = mid.g;
  std::vector<StageDirections> in;
  for (StateDirections& d : groups) {
    d.v += kick_jvps(model, mid.acceleration_before, std::move(d.history[0]), *d.values, g);
    mid.first.jvp(model, {tape.before.t, tape.before.x, {}}, g, d);  // d.v is δu from here
    in.push_back({d.x + g * d.v, d.v, {}, Panel::Zero(d.x.rows(), d.x.cols()), d.values});
    place_held_variation(model, d.x, in.back().predictor);
    clear_held(model, in.back().velocity);
    in.back().lagged = in.back().predictor;
  }
  StageDerivative stage(model, tape.stages[0]);
  const std::vector<Panel> change = stage.jvp(in);
  for (std::size_t c = 0; c < groups.size(); ++c) {
    StateDirections& d = groups[c];
    d.v += 2 / g * change[c];
    d.x = 2 * (in[c].predictor + change[c]) - d.x;
    restrict_held(model, d.x, d.v);
    mid.second.jvp(model, {tape.after.t, tape.after.x, {}}, g, d);
    start_tangent(model, tape.after, d, cost);
    d.v += kick_jvps(model, mid.acceleration_after, d.history[0], *d.values, g);
    restrict_held(model, d.x, d.v);
  }
  add_cost(stage, cost);
}

void ImexMidpointDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                     std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const Midway mid(model, tape);
  const double g = mid.g;
  std::vector<Points> ends;
  std::vector<StageVariation> in;
  for (StateVariation& a : all) {
    // Second kick, the force that it applies, and second flow.
    restrict_held(model, a.x, a.v);
    kick_vjp(model, mid.acceleration_after, a.v, a.history[0], a.values, g);
    move_force_adjoint(model, tape.after, a, ImexMidpoint::is_slow, cost);
    mid.second.vjp(model, {tape.after.t, tape.after.x, {}}, g, a);
    restrict_held(model, a.x, a.v);
    ends.push_back(2 / g * a.v + 2 * a.x);
    in.push_back(StageVariation::zero(model.particles(), std::move(a.values)));
  }
  // Stage: x⁺ = 2 (y + δ) − x, bounced = u + 2 δ/g.
  StageDerivative stage(model, tape.stages[0]);
  stage.vjp(std::move(ends), in);
  for (std::size_t c = 0; c < all.size(); ++c) {
    StateVariation& a = all[c];
    a.values = std::move(in[c].values);
    const Points gy = 2 * a.x + in[c].predictor + in[c].lagged;
    a.x = gy - a.x;
    a.v += g * gy + in[c].velocity;
    restrict_held(model, a.x, a.v);
    // First flow and first kick.
    mid.first.vjp(model, {tape.before.t, tape.before.x, {}}, g, a);
    restrict_held(model, a.x, a.v);
    kick_vjp(model, mid.acceleration_before, a.v, a.history[0], a.values, g);
  }
  add_cost(stage, cost);
}

namespace {

/// Whether this is the first step, which imex_midpoint makes: its history contains only one force.
bool is_first(const sim::StepTape& tape) { return tape.history_before.size() == 1; }

/// Returns the fraction of the last displacement and of the last velocity change by which a step extrapolates: 1/3, or
/// 0 in a step of backward Euler.
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

/// Applies the transpose of the first step, given the gradients with respect to the displacement and velocity in its
/// history.
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

/// Applies the transpose of a later step; adds the gradient with respect to the explicit forces at its beginning to
/// later[2].
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
    a.history.resize(3, Points::Zero(3, model.particles()));  // the last step has no successor
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
