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
  Points kicked;    // v + g M⁻¹ F₀, before the first flow
  FlowChain first;  // ends with u
  Points bounced;   // u + 2 δ/g, before the second flow; held particles have their velocity at the step's end
  FlowChain second;

  Midway(const sim::Model& model, const sim::StepTape& tape)
      : g(tape.h / 2),
        kicked(tape.before.v + kick(model, tape.history_before[0], g)),
        first(model, {tape.before.t, tape.before.x, kicked}, g, sim::FlowOrder::Forward),
        bounced(bounced_velocities(model, tape)),
        second(model, {tape.after.t, tape.after.x, bounced}, g, sim::FlowOrder::Backward) {}

 private:
  Points bounced_velocities(const sim::Model& model, const sim::StepTape& tape) const {
    sim::State end{tape.after.t, tape.after.x, first.result + 2 / g * tape.stages[0].change};
    model.place_held(end.t, end.x, &end.v);
    return end.v;
  }
};

}  // namespace

void ImexMidpointDerivative::start_tangent(const sim::Model& model, const sim::State& s, StateVariation& d,
                                           const Vector& dvalues, DerivativeCost& cost) const {
  d.history.assign(1, Points::Zero(3, d.x.cols()));
  add_force_jvp(model, s, {d.x, d.v, dvalues}, d.history[0], ImexMidpoint::is_slow);
  ++cost.force_products;
}

void ImexMidpointDerivative::start_adjoint(const sim::Model& model, const sim::State& s, StateVariation& a,
                                           Vector& gvalues, DerivativeCost& cost) const {
  move_force_adjoint(model, s, a, gvalues, ImexMidpoint::is_slow, cost);
}

void ImexMidpointDerivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& d,
                                     const Eigen::MatrixXd& dvalues, DerivativeCost& cost) const {
  const Midway mid(model, tape);
  const double g = mid.g;
  StageDerivative stage(model, tape.stages[0]);
  const Points acceleration_end = (tape.after.v - mid.second.result) / g;  // M⁻¹ F₁ on free particles
  for (std::size_t p = 0; p < d.size(); ++p) {
    auto& [dx, dv, dhistory] = d[p];
    const Vector dtheta = dvalues.col(p);

    dv += kick_jvp(model, kick(model, tape.history_before[0], 1), dhistory[0], dtheta, g);
    mid.first.jvp(model, {tape.before.t, tape.before.x, {}}, g, dx, dtheta, dv);
    const Points du = dv;

    StageVariation in{dx + g * du, du, {}, Points::Zero(3, dx.cols()), dtheta};
    place_held_variation(model, dx, in.predictor);
    model.clear_held(in.velocity);
    in.lagged = in.predictor;
    const Points change = stage.jvp(in);

    dv = du + 2 / g * change;
    dx = 2 * (in.predictor + change) - dx;
    restrict_held(model, dx, dv);
    mid.second.jvp(model, {tape.after.t, tape.after.x, {}}, g, dx, dtheta, dv);
    start_tangent(model, tape.after, d[p], dtheta, cost);
    dv += kick_jvp(model, acceleration_end, dhistory[0], dtheta, g);
    restrict_held(model, dx, dv);
  }
  add_cost(stage, cost);
}

void ImexMidpointDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a,
                                     Vector& gvalues, DerivativeCost& cost) const {
  const Midway mid(model, tape);
  const double g = mid.g;
  const Index n = a.x.cols();
  restrict_held(model, a.x, a.v);

  // Second kick, the force that it used, second flow.
  kick_vjp(model, (tape.after.v - mid.second.result) / g, a.v, a.history[0], gvalues, g);
  move_force_adjoint(model, tape.after, a, gvalues, ImexMidpoint::is_slow, cost);
  mid.second.vjp(model, {tape.after.t, tape.after.x, {}}, g, a.v, a.x, gvalues);
  restrict_held(model, a.x, a.v);

  // Stage: x⁺ = 2 (y + δ) − x, bounced = u + 2 δ/g.
  StageDerivative stage(model, tape.stages[0]);
  StageVariation in = StageVariation::zero(n, gvalues.size());
  stage.vjp(2 / g * a.v + 2 * a.x, in);
  gvalues += in.values;
  const Points gy = 2 * a.x + in.predictor + in.lagged;
  Points gx = gy - a.x, gu = a.v + g * gy + in.velocity;
  restrict_held(model, gx, gu);

  // First flow and first kick.
  mid.first.vjp(model, {tape.before.t, tape.before.x, {}}, g, gu, gx, gvalues);
  a.x = std::move(gx);
  a.v = std::move(gu);
  a.history.assign(1, Points::Zero(3, n));
  restrict_held(model, a.x, a.v);
  kick_vjp(model, kick(model, tape.history_before[0], 1), a.v, a.history[0], gvalues, g);
  add_cost(stage, cost);
}

}  // namespace pithball::diff
