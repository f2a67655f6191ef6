#include "diff/step/velocity_verlet_derivative.hpp"

#include "diff/step/kick_derivative.hpp"
#include "sim/integrator/velocity_verlet.hpp"

namespace pithball::diff {
namespace {

using sim::is_velocity_dependent;
using sim::VelocityVerlet;

/// Intermediate results of the step, recomputed from the tape (a₁ from the velocities, which avoids a force
/// evaluation).
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

void VelocityVerletDerivative::start_tangent(const sim::Model& model, const sim::State& s, StateDirections& d,
                                             DerivativeCost& cost) const {
  d.history.assign(1, Panel::Zero(d.x.rows(), d.x.cols()));
  add_force_jvps(model, s, d, d.history[0], VelocityVerlet::is_positional);
  cost.force_products += d.count();
}

void VelocityVerletDerivative::start_adjoint(const sim::Model& model, const sim::State& s, StateVariation& a,
                                             DerivativeCost& cost) const {
  move_force_adjoint(model, s, a, VelocityVerlet::is_positional, cost);
}

void VelocityVerletDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                       std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const VerletKicks mid(model, tape);
  const sim::State predicted{tape.after.t, tape.after.x, mid.predicted};
  const double h = tape.h;
  for (StateDirections& d : groups) {
    const Panel v = d.v;
    Panel dforce = std::move(d.history[0]);
    add_force_jvps(model, tape.before, d, dforce, is_velocity_dependent);
    const Panel da0 = kick_jvps(model, mid.a0, std::move(dforce), *d.values, 1);
    Panel x_end = d.x + h * v + h * h / 2 * da0;
    place_held_variation(model, d.x, x_end);
    d.x = std::move(x_end);
    d.v += h * da0;
    clear_held(model, d.v);
    start_tangent(model, tape.after, d, cost);
    dforce = d.history[0];
    add_force_jvps(model, predicted, d, dforce, is_velocity_dependent);
    d.v = v + h / 2 * (da0 + kick_jvps(model, mid.a1, std::move(dforce), *d.values, 1));
    restrict_held(model, d.x, d.v);
  }
}

void VelocityVerletDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                       std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const VerletKicks mid(model, tape);
  const sim::State predicted{tape.after.t, tape.after.x, mid.predicted};
  const double h = tape.h;
  for (StateVariation& a : all) {
    restrict_held(model, a.x, a.v);

    // v⁺ = v + h/2 (a₀ + a₁)
    Points ga0 = h / 2 * a.v, gv = a.v, gforce = Points::Zero(3, a.x.cols());
    kick_vjp(model, mid.a1, ga0, gforce, a.values, 1);
    a.history[0] += gforce;

    // a₁ at (x⁺, v + h a₀)
    a.v.setZero();
    add_force_vjp(model, predicted, gforce, a, is_velocity_dependent);
    model.clear_held(a.v);
    gv += a.v;
    ga0 += h * a.v;
    a.v.setZero();
    move_force_adjoint(model, tape.after, a, VelocityVerlet::is_positional, cost);

    // x⁺ = x + h v + h²/2 a₀ on free particles; fixed ones keep x
    Points free = a.x;
    model.clear_held(free);
    gv += h * free;
    ga0 += h * h / 2 * free;

    // a₀ at (x, v)
    gforce.setZero();
    kick_vjp(model, mid.a0, ga0, gforce, a.values, 1);
    a.v = std::move(gv);
    add_force_vjp(model, tape.before, gforce, a, is_velocity_dependent);
    a.history[0] = std::move(gforce);
  }
}

}  // namespace pithball::diff
