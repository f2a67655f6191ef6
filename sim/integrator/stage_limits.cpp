#include "sim/integrator/stage_limits.hpp"

#include <algorithm>

#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {
StageLimits::StageLimits(const Model& model, const StageProblem& s, const BlockMatrix& H, const Vector& reach,
                         const Points& force, double tolerance) {
  const double g2 = s.g * s.g;
  limits_ = H.multiply_magnitudes(reach) + g2 * column_norms(force);
  if (s.force.size() > 0) limits_ += g2 * column_norms(s.force);
  limits_ *= std::max(tolerance, rounding);

  const double place = column_norms(s.start + s.move).maxCoeff() + reach.maxCoeff();
  const double speed = column_norms(s.velocity).maxCoeff() + reach.maxCoeff() / s.g;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i))
      limits_[i] += rounding * (H.diagonal(i) - model.mass()[i] * Mat3::Identity()).norm() * (place + s.g * speed);
}

double StageLimits::ratio(const Points& residual) const {
  double worst = 0;
  for (Index i = 0; i < residual.cols(); ++i) {
    const double left = residual.col(i).norm();
    if (std::isnan(left)) return left;
    if (left > 0) worst = std::max(worst, left / limits_[i]);
  }
  return worst;
}

}  // namespace pithball::sim
