#include "diff/step/imex_midpoint_derivative.hpp"

#include "diff/step/flow_chain.hpp"
#include "diff/step/force_linearization.hpp"
#include "diff/step/kick_derivative.hpp"
#include "diff/step/stage_derivative.hpp"
#include "sim/integrator/imex_midpoint.hpp"

namespace pithball::diff {
namespace {

using sim::ImexMidpoint;

/// The velocities inside a recorded step, recomputed from what the tape holds (g is half the step).
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
    // Second kick, the force that it used, second flow.
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

}  // namespace pithball::diff
