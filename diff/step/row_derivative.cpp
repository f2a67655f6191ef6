#include "diff/step/row_derivative.hpp"

#include "sim/kernel/xpbd.hpp"

namespace pithball::diff {

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
  if (update_.denominator == 0) return;  // nothing can give way
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
  sim::RowPoints dinverse = sim::RowPoints::Zero();  // δ(1/m) of each particle, in its first row
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

}  // namespace pithball::diff
