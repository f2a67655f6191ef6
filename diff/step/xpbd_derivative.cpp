#include "diff/step/xpbd_derivative.hpp"

#include <ranges>

#include "diff/step/force_linearization.hpp"
#include "diff/step/kick_derivative.hpp"
#include "sim/constraint/constraint.hpp"
#include "sim/constraint/projection.hpp"
#include "sim/kernel/xpbd.hpp"
#include "sim/model/model.hpp"

namespace pithball::diff {

using sim::Index;
using sim::Points;
using sim::Vector;

/// A constraint row in a substep.
struct RowInSubstep {
  const sim::Constraint& constraint;  ///< owner of the row, which evaluates C and its derivatives
  const sim::ConstraintRow& row;      ///< particles and other data of the row within the constraint
  double dt;                          ///< [s]
  const Vector& inverse_mass;         ///< 0 for held particles [1/kg]
};

/// One projection of one row as in `sim::Projection::sweep`, and its linearization. It is recomputed from its inputs:
/// positions and velocities of the row's particles and the row's multiplier.
class RowProjection {
 public:
  /// Projects the row: changes x, v (3×N) and lambda as the sweep did.
  RowProjection(const sim::Model& model, const RowInSubstep& at, Points& x, Points& v, double& lambda);

  /// Maps changes of x, v and lambda before the projection to those after it, for a change of the values at this time.
  void tangent(const sim::Model& model, const Vector& dvalues, Points& dx, Points& dv, double& dlambda) const;
  /// The transpose: maps gradients with respect to x, v and lambda after the projection to those before it; adds to
  /// those of the values.
  void adjoint(const sim::Model& model, Points& ax, Points& av, double& alambda, Vector& gvalues) const;

 private:
  /// Softness of the row: α̃ = α/Δt², γ = αβ/Δt, with its compliance α and its damping β.
  struct Softness {
    double compliance, damping, alpha, gamma;
  };
  /// The change of the multiplier, −(C + α̃ λ + γ Δt Ċ)/D with D = (1 + γ) w + α̃, in the notation of kernel/xpbd.hpp.
  struct Update {
    double rate = 0, w = 0, denominator = 0, change = 0;
  };
  static Softness softness(const sim::Model& model, const RowInSubstep& at);
  Index particle(Index k) const { return at_.row.particles[k]; }

  RowInSubstep at_;
  const sim::DifferentiableRows* rows_;
  double lambda_;
  sim::RowPoints x_, v_, gradient_;
  sim::RowValues values_;
  Softness soft_;
  Update update_;
};

RowProjection::Softness RowProjection::softness(const sim::Model& model, const RowInSubstep& at) {
  const double compliance = sim::row_compliance(at.constraint, model, at.row),
               damping = sim::row_damping(at.constraint, model, at.row);
  return {compliance, damping, compliance / (at.dt * at.dt), compliance * damping / at.dt};
}

RowProjection::RowProjection(const sim::Model& model, const RowInSubstep& at, Points& x, Points& v, double& lambda)
    : at_(at),
      rows_(at.constraint.as<sim::DifferentiableRows>()),
      lambda_(lambda),
      x_(sim::row_points(at.row, x)),
      v_(sim::row_points(at.row, v)),
      values_(rows_->row_values(model, at.row)),
      soft_(softness(model, at)) {
  const auto& [constraint, row, dt, inverse_mass] = at;
  const double C = constraint.evaluate(model, row, x_, gradient_);
  for (Index k = 0; k < row.count; ++k) {
    update_.w += inverse_mass[particle(k)] * gradient_.col(k).squaredNorm();
    update_.rate += gradient_.col(k).dot(v_.col(k));
  }
  update_.denominator = (1 + soft_.gamma) * update_.w + soft_.alpha;
  if (update_.denominator == 0) return;  // the row is rigid and no particle of it can move
  update_.change =
      sim::kernel::multiplier_change(C, update_.rate, lambda_, update_.w, soft_.compliance, soft_.damping, dt);
  lambda += update_.change;
  for (Index k = 0; k < row.count; ++k) {
    const sim::Vec3 move = inverse_mass[particle(k)] * update_.change * gradient_.col(k);
    x.col(particle(k)) += move;
    v.col(particle(k)) += move / dt;
  }
}

void RowProjection::tangent(const sim::Model& model, const Vector& dvalues, Points& dx, Points& dv,
                            double& dlambda) const {
  if (update_.denominator == 0) return;
  const auto entry = [&](Index i) { return i < 0 ? 0.0 : dvalues[i]; };
  const auto dmass = model.values().of(dvalues, sim::Model::mass_block);
  const sim::RowPoints row_dx = sim::row_points(at_.row, dx), row_dv = sim::row_points(at_.row, dv);
  const sim::RowPoints dgradient = rows_->hessian_product(model, at_.row, x_, row_dx);
  double dC = values_.slope * entry(values_.value), drate = 0, dw = 0;
  sim::RowPoints dinverse = sim::RowPoints::Zero();  // δ(1/m) of each particle, stored in its first component
  for (Index k = 0; k < at_.row.count; ++k) {
    const double inverse = at_.inverse_mass[particle(k)];
    dinverse(0, k) = -inverse * inverse * dmass[particle(k)];
    dC += gradient_.col(k).dot(row_dx.col(k));
    drate += dgradient.col(k).dot(v_.col(k)) + gradient_.col(k).dot(row_dv.col(k));
    dw += dinverse(0, k) * gradient_.col(k).squaredNorm() + 2 * inverse * gradient_.col(k).dot(dgradient.col(k));
  }
  const double dcompliance = entry(values_.compliance), ddamping = entry(values_.damping);
  const double dalpha = dcompliance / (at_.dt * at_.dt);
  const double dgamma = (dcompliance * soft_.damping + soft_.compliance * ddamping) / at_.dt;
  const double dnumerator =
      dC + dalpha * lambda_ + soft_.alpha * dlambda + at_.dt * (dgamma * update_.rate + soft_.gamma * drate);
  const double ddenominator = dgamma * update_.w + (1 + soft_.gamma) * dw + dalpha;
  const double dchange = -(dnumerator + update_.change * ddenominator) / update_.denominator;
  dlambda += dchange;
  for (Index k = 0; k < at_.row.count; ++k) {
    const double inverse = at_.inverse_mass[particle(k)];
    const sim::Vec3 dmove = dinverse(0, k) * update_.change * gradient_.col(k) +
                            inverse * (dchange * gradient_.col(k) + update_.change * dgradient.col(k));
    dx.col(particle(k)) += dmove;
    dv.col(particle(k)) += dmove / at_.dt;
  }
}

void RowProjection::adjoint(const sim::Model& model, Points& ax, Points& av, double& alambda, Vector& gvalues) const {
  if (update_.denominator == 0) return;
  const auto add = [&](Index i, double value) {
    if (i >= 0) gvalues[i] += value;
  };
  auto gmass = model.values().of(gvalues, sim::Model::mass_block);
  sim::RowPoints agradient = sim::RowPoints::Zero();
  double achange = alambda;
  sim::RowPoints amove;
  for (Index k = 0; k < at_.row.count; ++k) {
    amove.col(k) = ax.col(particle(k)) + av.col(particle(k)) / at_.dt;
    achange += at_.inverse_mass[particle(k)] * amove.col(k).dot(gradient_.col(k));
  }
  const double anumerator = -achange / update_.denominator, adenominator = update_.change * anumerator;
  const double aw = (1 + soft_.gamma) * adenominator, arate = at_.dt * soft_.gamma * anumerator;
  for (Index k = 0; k < at_.row.count; ++k) {
    const double inverse = at_.inverse_mass[particle(k)];
    gmass[particle(k)] -=
        inverse * inverse * (update_.change * amove.col(k).dot(gradient_.col(k)) + aw * gradient_.col(k).squaredNorm());
    agradient.col(k) =
        inverse * update_.change * amove.col(k) + 2 * aw * inverse * gradient_.col(k) + arate * v_.col(k);
  }
  const double aalpha = lambda_ * anumerator + adenominator;
  const double agamma = at_.dt * update_.rate * anumerator + update_.w * adenominator;
  add(values_.value, values_.slope * anumerator);
  add(values_.compliance, aalpha / (at_.dt * at_.dt) + agamma * soft_.damping / at_.dt);
  add(values_.damping, agamma * soft_.compliance / at_.dt);
  alambda += soft_.alpha * anumerator;
  const sim::RowPoints by_gradient = rows_->hessian_product(model, at_.row, x_, agradient);
  for (Index k = 0; k < at_.row.count; ++k) {
    ax.col(particle(k)) += anumerator * gradient_.col(k) + by_gradient.col(k);
    av.col(particle(k)) += arate * gradient_.col(k);
  }
}

namespace {

/// Whether a force acts by kicks: all without a flow do.
bool is_kick(const sim::ForceTerm& term) { return !sim::is_flow(term); }

/// Returns M⁻¹F of the kick forces at a state.
Points kick_acceleration(const sim::Model& model, const sim::State& s) {
  Points force = Points::Zero(3, s.x.cols());
  model.add_forces(s, force, is_kick);
  return kick(model, force, 1);
}

/// Returns the change of the values, interpolated to time t.
Vector at_time(const sim::Model& model, double t, const Vector& dvalues) {
  Vector now = dvalues;
  for (const auto& frames : model.key_frames()) frames.interpolate(t, now);
  return now;
}

/// A recomputed substep. Not copyable, because its visits point into it.
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

  /// Applies the derivative of the substep's sweeps to direction p; `t`: time at the end of the substep [s].
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
  /// Propagates ∂L/∂a, where a is the acceleration due to kicks at a state, to the state that precedes it by `ahead`
  /// [s].
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
