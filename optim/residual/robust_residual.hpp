#pragma once
#include <vector>

#include "optim/residual/residual.hpp"
#include "optim/residual/robust_loss.hpp"

namespace pithball::optim {

/// Applies a loss to residuals r and, unless null, to the same rows of their derivatives: see `RobustResidual`.
void weigh_samples(const RobustLoss& loss, const std::vector<Index>& samples, Vector& r, Eigen::MatrixXd* jacobian);

/// A residual with a robust loss, so that least-squares solvers minimize ½ Σ ρ(|r_j|²) exactly: sample j becomes
///    r̃_j = φ(u) r_j,   u = |r_j|,   φ(u) = √ρ(u²) / u,   J̃_j = φ J_j + (φ′(u)/u) r_j (r_jᵀ J_j).
class RobustResidual final : public Residual {
 public:
  /// samples: first row of every sample, ascending from 0, and the number of rows at the end. `inner` must outlive this
  /// object.
  RobustResidual(const Residual& inner, RobustLoss loss, std::vector<Index> samples);
  Index rows() const override { return inner_.rows(); }
  Index parameters() const override { return inner_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  const Residual& inner_;
  RobustLoss loss_;
  std::vector<Index> samples_;
};

}  // namespace pithball::optim
