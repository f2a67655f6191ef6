#include "diff/step/xpbd_derivative.hpp"

#include <ranges>

#include "diff/step/flow_chain.hpp"
#include "diff/step/force_linearization.hpp"
#include "diff/step/kick_derivative.hpp"
#include "diff/step/row_derivative.hpp"
#include "sim/constraint/projection.hpp"

namespace pithball::diff {
namespace {

/// Forces that act by kicks: all that have no flow.
bool is_kick(const sim::ForceTerm& term) { return !sim::is_flow(term); }

/// M⁻¹F of the kicks at a state.
Points kick_acceleration(const sim::Model& model, const sim::State& s) {
  Points force = Points::Zero(3, s.x.cols());
  model.add_forces(s, force, is_kick);
  return kick(model, force, 1);
}

/// The change of the values as it is at time t.
Vector at_time(const sim::Model& model, double t, const Vector& dvalues) {
  Vector now = dvalues;
  for (const auto& frames : model.key_frames()) frames.interpolate(t, now);
  return now;
}

/// A substep, recomputed. Its visits point into it: it stays where it is made.
struct Substep {
  Substep(const Substep&) = delete;
  double dt;
  FlowChain flows;
  sim::Model now;  // with the values at the end
  std::vector<sim::ConstraintRow> rows;
  std::vector<const sim::Constraint*> owners;  // of each row
  Vector inverse_mass;
  struct Visit {
    std::size_t row;
    RowProjection projection;
  };
  std::vector<Visit> visits;  // in the order of the sweeps

  Substep(const sim::Model& model, const sim::StepTape& tape, const Points& a, Index iterations)
      : dt(tape.h),
        flows(model, {tape.before.t, tape.before.x, tape.before.v + dt * a}, dt, sim::FlowOrder::Forward),
        now(model.at(tape.after.t)),
        inverse_mass(model.mass().cwiseInverse()) {
    for (const auto& held : model.topology().held) inverse_mass[held.particle] = 0;
    Points x = tape.before.x, v = flows.result;
    x += dt * v;
    model.place_held(tape.after.t, x, &v);
    std::vector<sim::ConstraintRow> found;
    for (const auto& constraint : now.constraints()) {
      found.clear();
      constraint->add_rows(now, x, Vector::Zero(x.cols()), found);
      for (const auto& row : found) {
        rows.push_back(row);
        owners.push_back(constraint.get());
      }
    }
    Vector lambda = Vector::Zero(rows.size());
    for (Index sweep = 0; sweep < iterations; ++sweep)
      for (std::size_t r = 0; r < rows.size(); ++r)
        visits.push_back({r, RowProjection(now, {*owners[r], rows[r], dt, inverse_mass}, x, v, lambda[r])});
  }

  /// The derivative of its sweeps along direction p; `t`: at its end [s].
  void project(const sim::Model& model, double t, sim::Directions& d, Index p) const {
    sim::Variation one = d.alone(p);
    const Vector dvalues = at_time(model, t, one.values);
    Vector dlambda = Vector::Zero(rows.size());
    for (const Visit& visit : visits) visit.projection.tangent(now, dvalues, one.x, one.v, dlambda[visit.row]);
    d.set(p, one);
  }
};

}  // namespace

void XpbdDerivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateDirections>& groups,
                             DerivativeCost& cost) const {
  Points a;
  std::vector<Panel> da(groups.size());
  const auto linearize = [&](const sim::State& at, double ahead) {
    a = kick_acceleration(model, at);
    for (std::size_t c = 0; c < groups.size(); ++c) {
      const StateDirections& d = groups[c];
      sim::Directions there{d.x + ahead * d.v, d.v, d.values};
      if (ahead > 0) {
        place_held_variation(model, d.x, there.x);
        restrict_held(model, there.x, there.v);
      }
      Panel dforce = Panel::Zero(d.x.rows(), d.x.cols());
      add_force_jvps(model, at, there, dforce, is_kick);
      cost.force_products += d.count();
      da[c] = kick_jvps(model, a, std::move(dforce), *d.values, 1);
    }
  };
  if (tape.forces_at) linearize(*tape.forces_at, tape.forces_at->t - tape.before.t);
  for (const sim::StepTape& part : tape.substeps) {
    if (!tape.forces_at) linearize(part.before, 0);
    const Substep substep(model, part, a, tape.iterations);
    for (std::size_t c = 0; c < groups.size(); ++c) {
      StateDirections& d = groups[c];
      d.v += part.h * da[c];
      substep.flows.jvp(model, part.before, part.h, d);
      restrict_held(model, d.x, d.v);
      d.x += part.h * d.v;
      for (Index p = 0; p < d.count(); ++p) substep.project(model, part.after.t, d, p);
    }
  }
}

void XpbdDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& all,
                             DerivativeCost& cost) const {
  const Points none = Points::Zero(3, model.particles());
  Points a;
  std::vector<Points> ga(all.size(), none);
  /// Moves ∂L/∂a of the kicks' acceleration at a state to the state before, which is `ahead` of it.
  const auto move_back = [&](const sim::State& at, double ahead) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      StateVariation& g = all[c];
      Points gforce = none;
      kick_vjp(model, a, ga[c], gforce, g.values, 1);
      sim::Variation back{none, none, std::move(g.values)};
      add_force_vjp(model, at, gforce, back, is_kick);
      ++cost.force_products;
      g.values = std::move(back.values);
      Points gx = back.x;
      if (ahead > 0) restrict_held(model, gx, back.v);
      g.x += gx;
      if (ahead > 0) {
        model.clear_held(back.x);
        g.v += ahead * back.x;
      }
      g.v += back.v;
      ga[c].setZero();
    }
  };
  if (tape.forces_at) a = kick_acceleration(model, *tape.forces_at);
  for (const sim::StepTape& part : std::views::reverse(tape.substeps)) {
    if (!tape.forces_at) a = kick_acceleration(model, part.before);
    const Substep substep(model, part, a, tape.iterations);
    for (std::size_t c = 0; c < all.size(); ++c) {
      StateVariation& g = all[c];
      Vector alambda = Vector::Zero(substep.rows.size()), own = Vector::Zero(g.values.size());
      for (const auto& visit : std::views::reverse(substep.visits))
        visit.projection.adjoint(substep.now, g.x, g.v, alambda[visit.row], own);
      for (const auto& frames : model.key_frames()) frames.move_gradient(part.after.t, own);
      g.values += own;
      g.v += part.h * g.x;
      restrict_held(model, g.x, g.v);
      substep.flows.vjp(model, part.before, part.h, g);
      ga[c] += part.h * g.v;
    }
    if (!tape.forces_at) move_back(part.before, 0);
  }
  if (tape.forces_at) move_back(*tape.forces_at, tape.forces_at->t - tape.before.t);
}

}  // namespace pithball::diff
