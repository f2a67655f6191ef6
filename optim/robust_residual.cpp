#include "optim/robust_residual.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::optim {

RobustResidual::RobustResidual(const Residual& inner, RobustLoss loss, std::vector<Index> samples)
    : inner_(inner), loss_(loss), samples_(std::move(samples)) {
  if (!(loss.threshold > 0))
    throw InvalidArgument({"", "loss threshold", "must be > 0", std::to_string(loss.threshold), ""});
  if (samples_.empty() || samples_.front() != 0 || samples_.back() != inner.rows())
    throw InvalidArgument({"", "samples", "must begin at row 0 and end at the number of rows", "", ""});
}

Evaluation RobustResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  const Evaluation evaluation = inner_.evaluate(theta, r, jacobian);
  if (!evaluation.ok() || loss_.kind == RobustLoss::Kind::None) return evaluation;
  for (std::size_t j = 0; j + 1 < samples_.size(); ++j) {
    auto sample = r.segment(samples_[j], samples_[j + 1] - samples_[j]);
    const double s = sample.squaredNorm();
    if (s == 0) continue;  // ρ(s) ≈ s: φ = 1
    const double rho = loss_.value(s), phi = std::sqrt(rho / s);
    // φ′(u)/u = (ρ′ − ρ/s) / (s φ), from φ² = ρ(u²)/u².
    const double bend = (loss_.derivative(s) - rho / s) / (s * phi);
    if (jacobian) {
      auto rows = jacobian->middleRows(samples_[j], sample.size());
      const Eigen::RowVectorXd along = sample.transpose() * rows;
      rows *= phi;
      rows += bend * sample * along;
    }
    sample *= phi;
  }
  return evaluation;
}

}  // namespace pithball::optim
