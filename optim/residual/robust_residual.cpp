#include "optim/residual/robust_residual.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::optim {

namespace {

/// How a loss changes one sample, r̃ = φ r, and the rows of its derivative: u ↦ φ u + bend r (r·u).
struct Weighting {
  double phi = 1, bend = 0;
  Weighting(const RobustLoss& loss, double square) {
    if (square == 0) return;  // ρ(s) ≈ s: φ = 1
    const double rho = loss.value(square);
    phi = std::sqrt(rho / square);
    // φ′(u)/u = (ρ′ − ρ/s) / (s φ), from φ² = ρ(u²)/u².
    bend = (loss.derivative(square) - rho / square) / (square * phi);
  }
};

/// The inner derivative combined with the symmetric block of each sample, φ + bend r rᵀ.
class RobustLinearization final : public Linearization {
 public:
  RobustLinearization(std::unique_ptr<Linearization> inner, const RobustLoss& loss, const std::vector<Index>& samples)
      : inner_(std::move(inner)), samples_(samples), weighted_(inner_->residual()) {
    for (std::size_t j = 0; j + 1 < samples_.size(); ++j) {
      auto sample = weighted_.segment(samples_[j], samples_[j + 1] - samples_[j]);
      weightings_.emplace_back(loss, sample.squaredNorm());
      sample *= weightings_.back().phi;
    }
  }
  const Vector& residual() const override { return weighted_; }
  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    const Evaluation evaluation = inner_->jvp(d, Jd);
    if (evaluation.ok()) weigh(Jd);
    return evaluation;
  }
  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    Vector inner = w;
    weigh(inner);
    return inner_->vjp(inner, Jtw);
  }

 private:
  void weigh(Vector& u) const {
    for (std::size_t j = 0; j + 1 < samples_.size(); ++j) {
      auto part = u.segment(samples_[j], samples_[j + 1] - samples_[j]);
      const auto r = inner_->residual().segment(samples_[j], part.size());
      const double along = r.dot(part);
      part *= weightings_[j].phi;
      part += weightings_[j].bend * along * r;
    }
  }

  std::unique_ptr<Linearization> inner_;
  const std::vector<Index>& samples_;
  Vector weighted_;
  std::vector<Weighting> weightings_;
};

}  // namespace

void weigh_samples(const RobustLoss& loss, const std::vector<Index>& samples, Vector& r, Eigen::MatrixXd* jacobian) {
  if (!loss.is_robust()) return;
  for (std::size_t j = 0; j + 1 < samples.size(); ++j) {
    auto sample = r.segment(samples[j], samples[j + 1] - samples[j]);
    const Weighting weighting(loss, sample.squaredNorm());
    if (jacobian) {
      auto rows = jacobian->middleRows(samples[j], sample.size());
      const Eigen::RowVectorXd along = sample.transpose() * rows;
      rows *= weighting.phi;
      rows += weighting.bend * sample * along;
    }
    sample *= weighting.phi;
  }
}

RobustResidual::RobustResidual(const Residual& inner, RobustLoss loss, std::vector<Index> samples)
    : inner_(inner), loss_(loss), samples_(std::move(samples)) {
  if (!(loss.threshold() > 0))
    throw InvalidArgument({"", "loss threshold", "must be > 0", std::to_string(loss.threshold()), ""});
  if (samples_.empty() || samples_.front() != 0 || samples_.back() != inner.rows())
    throw InvalidArgument({"", "samples", "must begin at row 0 and end at the number of rows", "", ""});
}

Evaluation RobustResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  const Evaluation evaluation = inner_.evaluate(theta, r, jacobian);
  if (evaluation.ok()) weigh_samples(loss_, samples_, r, jacobian);
  return evaluation;
}

Evaluation RobustResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  const Evaluation evaluation = inner_.linearize(theta, at);
  if (evaluation.ok() && loss_.is_robust()) at = std::make_unique<RobustLinearization>(std::move(at), loss_, samples_);
  return evaluation;
}

}  // namespace pithball::optim
