#include "diff/step/row_derivative.hpp"

#include "sim/kernel/xpbd.hpp"

namespace pithball::diff {

RowProjection::RowProjection(const sim::Model& model, const RowInSubstep& at, Points& x, Points& v, double& lambda)
    : rows_(at.constraint.as<sim::DifferentiableRows>()),
      row_(&at.row),
      inverse_mass_(&at.inverse_mass),
      dt_(at.dt),
      lambda_(lambda),
      x_(sim::row_points(at.row, x)),
      v_(sim::row_points(at.row, v)),
      values_(rows_->row_values(model, at.row)),
      compliance_(sim::row_compliance(at.constraint, model, at.row)),
      damping_(sim::row_damping(at.constraint, model, at.row)),
      alpha_(compliance_ / (dt_ * dt_)),
      gamma_(compliance_ * damping_ / dt_) {
  const auto& [constraint, row, dt, inverse_mass] = at;
  const double C = constraint.evaluate(model, row, x_, gradient_);
  for (Index k = 0; k < row.count; ++k) {
    w_ += inverse_mass[particle(k)] * gradient_.col(k).squaredNorm();
    rate_ += gradient_.col(k).dot(v_.col(k));
  }
  denominator_ = (1 + gamma_) * w_ + alpha_;
  if (denominator_ == 0) return;  // nothing can give way
  change_ = sim::kernel::multiplier_change(C, rate_, lambda_, w_, compliance_, damping_, dt);
  lambda += change_;
  for (Index k = 0; k < row.count; ++k) {
    const sim::Vec3 move = inverse_mass[particle(k)] * change_ * gradient_.col(k);
    x.col(particle(k)) += move;
    v.col(particle(k)) += move / dt;
  }
}

void RowProjection::tangent(const sim::Model& model, const Vector& dvalues, Points& dx, Points& dv,
                            double& dlambda) const {
  if (denominator_ == 0) return;
  const auto entry = [&](Index i) { return i < 0 ? 0.0 : dvalues[i]; };
  const auto dmass = model.values().of(dvalues, sim::Model::mass_block);
  const sim::RowPoints row_dx = sim::row_points(*row_, dx), row_dv = sim::row_points(*row_, dv);
  const sim::RowPoints dgradient = rows_->hessian_product(model, *row_, x_, row_dx);
  double dC = values_.slope * entry(values_.value), drate = 0, dw = 0;
  sim::RowPoints dinverse = sim::RowPoints::Zero();  // δ(1/m) of each particle, in its first row
  for (Index k = 0; k < row_->count; ++k) {
    const double inverse = (*inverse_mass_)[particle(k)];
    dinverse(0, k) = -inverse * inverse * dmass[particle(k)];
    dC += gradient_.col(k).dot(row_dx.col(k));
    drate += dgradient.col(k).dot(v_.col(k)) + gradient_.col(k).dot(row_dv.col(k));
    dw += dinverse(0, k) * gradient_.col(k).squaredNorm() + 2 * inverse * gradient_.col(k).dot(dgradient.col(k));
  }
  const double dcompliance = entry(values_.compliance), ddamping = entry(values_.damping);
  const double dalpha = dcompliance / (dt_ * dt_);
  const double dgamma = (dcompliance * damping_ + compliance_ * ddamping) / dt_;
  const double dnumerator = dC + dalpha * lambda_ + alpha_ * dlambda + dt_ * (dgamma * rate_ + gamma_ * drate);
  const double ddenominator = dgamma * w_ + (1 + gamma_) * dw + dalpha;
  const double dchange = -(dnumerator + change_ * ddenominator) / denominator_;
  dlambda += dchange;
  for (Index k = 0; k < row_->count; ++k) {
    const double inverse = (*inverse_mass_)[particle(k)];
    const sim::Vec3 dmove = dinverse(0, k) * change_ * gradient_.col(k) +
                            inverse * (dchange * gradient_.col(k) + change_ * dgradient.col(k));
    dx.col(particle(k)) += dmove;
    dv.col(particle(k)) += dmove / dt_;
  }
}

void RowProjection::adjoint(const sim::Model& model, Points& ax, Points& av, double& alambda, Vector& gvalues) const {
  if (denominator_ == 0) return;
  const auto add = [&](Index i, double value) {
    if (i >= 0) gvalues[i] += value;
  };
  auto gmass = model.values().of(gvalues, sim::Model::mass_block);
  sim::RowPoints agradient = sim::RowPoints::Zero();
  double achange = alambda;
  sim::RowPoints amove;
  for (Index k = 0; k < row_->count; ++k) {
    amove.col(k) = ax.col(particle(k)) + av.col(particle(k)) / dt_;
    achange += (*inverse_mass_)[particle(k)] * amove.col(k).dot(gradient_.col(k));
  }
  const double anumerator = -achange / denominator_, adenominator = change_ * anumerator;
  const double aw = (1 + gamma_) * adenominator, arate = dt_ * gamma_ * anumerator;
  for (Index k = 0; k < row_->count; ++k) {
    const double inverse = (*inverse_mass_)[particle(k)];
    gmass[particle(k)] -=
        inverse * inverse * (change_ * amove.col(k).dot(gradient_.col(k)) + aw * gradient_.col(k).squaredNorm());
    agradient.col(k) = inverse * change_ * amove.col(k) + 2 * aw * inverse * gradient_.col(k) + arate * v_.col(k);
  }
  const double aalpha = lambda_ * anumerator + adenominator;
  const double agamma = dt_ * rate_ * anumerator + w_ * adenominator;
  add(values_.value, values_.slope * anumerator);
  add(values_.compliance, aalpha / (dt_ * dt_) + agamma * damping_ / dt_);
  add(values_.damping, agamma * compliance_ / dt_);
  alambda += alpha_ * anumerator;
  const sim::RowPoints by_gradient = rows_->hessian_product(model, *row_, x_, agradient);
  for (Index k = 0; k < row_->count; ++k) {
    ax.col(particle(k)) += anumerator * gradient_.col(k) + by_gradient.col(k);
    av.col(particle(k)) += arate * gradient_.col(k);
  }
}

}  // namespace pithball::diff
