#include "diff/step/velocity_verlet_derivative.hpp"

#include "diff/step/kick_derivative.hpp"
#include "sim/integrator/velocity_verlet.hpp"

namespace pithball::diff {
namespace {

using sim::is_velocity_dependent;
using sim::VelocityVerlet;

/// What the step computed on its way, recomputed from the tape (a₁ from the velocities, so that no force is summed
/// again).
struct VerletKicks {
  Points a0, predicted, a1;
  VerletKicks(const sim::Model& model, const sim::StepTape& tape) {
    Points force = tape.history_before[0];
    model.add_forces(tape.before, force, is_velocity_dependent);
    a0 = kick(model, force, 1);
    predicted = tape.before.v + tape.h * a0;
    Points x = tape.after.x;
    model.place_held(tape.after.t, x, &predicted);
    a1 = 2 / tape.h * (tape.after.v - tape.before.v) - a0;
    model.clear_held(a1);
  }
};

}  // namespace

void VelocityVerletDerivative::start_tangent(const sim::Model& model, const sim::State& s, StateVariation& d,
                                             const Vector& dvalues, DerivativeCost& cost) const {
  d.history.assign(1, Points::Zero(3, d.x.cols()));
  add_force_jvp(model, s, {d.x, d.v, dvalues}, d.history[0], VelocityVerlet::is_positional);
  ++cost.force_products;
}

void VelocityVerletDerivative::start_adjoint(const sim::Model& model, const sim::State& s, StateVariation& a,
                                             Vector& gvalues, DerivativeCost& cost) const {
  move_force_adjoint(model, s, a, gvalues, VelocityVerlet::is_positional, cost);
}

void VelocityVerletDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                       std::vector<StateVariation>& d, const Eigen::MatrixXd& dvalues,
                                       DerivativeCost& cost) const {
  const VerletKicks mid(model, tape);
  const double h = tape.h;
  for (std::size_t p = 0; p < d.size(); ++p) {
    auto& [dx, dv, dhistory] = d[p];
    const Vector dtheta = dvalues.col(p);
    Points dforce = dhistory[0];
    add_force_jvp(model, tape.before, {dx, dv, dtheta}, dforce, is_velocity_dependent);
    const Points da0 = kick_jvp(model, mid.a0, dforce, dtheta, 1);
    Points x_end = dx + h * dv + h * h / 2 * da0, v_predicted = dv + h * da0;
    place_held_variation(model, dx, x_end);
    model.clear_held(v_predicted);
    dx = std::move(x_end);
    start_tangent(model, tape.after, d[p], dtheta, cost);
    dforce = dhistory[0];
    add_force_jvp(model, {tape.after.t, tape.after.x, mid.predicted}, {dx, v_predicted, dtheta}, dforce,
                  is_velocity_dependent);
    dv += h / 2 * (da0 + kick_jvp(model, mid.a1, dforce, dtheta, 1));
    restrict_held(model, dx, dv);
  }
}

void VelocityVerletDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a,
                                       Vector& gvalues, DerivativeCost& cost) const {
  const VerletKicks mid(model, tape);
  const double h = tape.h;
  const Index n = a.x.cols();
  restrict_held(model, a.x, a.v);

  // v⁺ = v + h/2 (a₀ + a₁)
  Points ga0 = h / 2 * a.v, gv = a.v, gforce = Points::Zero(3, n);
  kick_vjp(model, mid.a1, h / 2 * a.v, gforce, gvalues, 1);
  a.history[0] += gforce;

  // a₁ at (x⁺, v + h a₀)
  Points gx_end = std::move(a.x);
  {
    sim::Variation g{std::move(gx_end), Points::Zero(3, n), std::move(gvalues)};
    add_force_vjp(model, {tape.after.t, tape.after.x, mid.predicted}, gforce, g, is_velocity_dependent);
    model.clear_held(g.v);
    gv += g.v;
    ga0 += h * g.v;
    a.x = std::move(g.x);
    a.v = Points::Zero(3, n);
    gvalues = std::move(g.values);
  }
  move_force_adjoint(model, tape.after, a, gvalues, VelocityVerlet::is_positional, cost);

  // x⁺ = x + h v + h²/2 a₀ on free particles; pinned ones pass their place through
  Points free = a.x;
  model.clear_held(free);
  gv += h * free;
  ga0 += h * h / 2 * free;

  // a₀ at (x, v)
  gforce.setZero();
  kick_vjp(model, mid.a0, ga0, gforce, gvalues, 1);
  a.history[0] = gforce;
  sim::Variation g{std::move(a.x), std::move(gv), std::move(gvalues)};
  add_force_vjp(model, tape.before, gforce, g, is_velocity_dependent);
  a.x = std::move(g.x);
  a.v = std::move(g.v);
  gvalues = std::move(g.values);
}

}  // namespace pithball::diff
