#include "optim/uncertainty/robust_errors.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace pithball::optim {

FitCurvature::FitCurvature(const FitRows& fit, const Scores& scores, const Posterior& posterior)
    : fit_(fit), scores_(scores), weight_(1 / (posterior.data_scale * posterior.data_scale)) {
  if (!std::isfinite(weight_)) return;
  matrix_ = data_part(0, fit.r.size()) + fit.prior_J.transpose() * fit.prior_J;
  // In the formal errors' own directions H is near 1, whatever the units of θ.
  const Eigen::MatrixXd W = posterior.formal.scale.s * posterior.formal.root;
  const Eigen::LDLT<Eigen::MatrixXd> factor(W.transpose() * matrix_ * W);
  const Vector pivots = factor.vectorD();
  ok_ = pivots.size() > 0 && pivots.minCoeff() > 1e-9 * pivots.maxCoeff();
  if (ok_) inverse_ = W * factor.solve(W.transpose());
}

Eigen::MatrixXd FitCurvature::data_part(Index first, Index end) const {
  const auto rows = scores_.rows.middleRows(first, end - first);
  return weight_ * rows.transpose() * rows;
}

Vector FitCurvature::score(Index first, Index end) const {
  return weight_ * fit_.J.middleRows(first, end - first).transpose() * scores_.psi.segment(first, end - first);
}

Vector FitCurvature::solve(const Vector& g) const { return inverse_ * g; }

double frame_autocorrelation(const RowOrder& order, const Vector& psi) {
  double product = 0;
  Index pairs = 0;
  for (Index row = 0; row < psi.size(); ++row) {
    const Index before = order.previous[row];
    if (before < 0) continue;
    product += psi[row] * psi[before];
    ++pairs;
  }
  const double mean_square = psi.squaredNorm() / static_cast<double>(psi.size());
  if (pairs == 0 || mean_square == 0) return 0;
  const auto F = static_cast<double>(order.frames.size());
  const double rho = product / static_cast<double>(pairs) / mean_square;
  return std::clamp(rho + (1 + 3 * rho) / F, 0.0, 1 - 1 / F);
}

RobustErrors compute_robust_errors(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  const Uncertainty& u = posterior.formal;
  const RowOrder& order = fit.order;
  RobustErrors robust;
  robust.frames = static_cast<Index>(order.frames.size());
  if (!std::isfinite(u.scale.s) || u.spectrum.rank == 0 || robust.frames < 2) return robust;
  robust.autocorrelation = frame_autocorrelation(order, scores.psi);
  const auto F = static_cast<double>(robust.frames);
  const double color = (1 + robust.autocorrelation) / (1 - robust.autocorrelation);
  const Eigen::MatrixXd W = u.scale.s * u.root;
  const Eigen::MatrixXd of_priors = W.transpose() * fit.prior_J.transpose() * fit.prior_J * W;
  const double weight = 1 / (posterior.data_scale * posterior.data_scale);
  const Index rank = W.cols();
  Eigen::MatrixXd outer = Eigen::MatrixXd::Zero(rank, rank);
  double squares = 0, expected = 0;
  for (const FrameRows& frame : order.frames) {
    const Eigen::MatrixXd rows = fit.J.middleRows(frame.first, frame.end - frame.first) * W;
    const Vector g = weight * rows.transpose() * scores.psi.segment(frame.first, frame.end - frame.first);
    outer += g * g.transpose();
    squares += g.squaredNorm();
    const Eigen::MatrixXd leverage = rows.transpose() * rows / (u.scale.s * u.scale.s);
    expected += leverage.trace() - leverage.squaredNorm();
  }
  const double nu = static_cast<double>(std::max(1L, u.scale.degrees_of_freedom));
  robust.by_mean_ratio = robust.frames < frames_for_each_value * u.spectrum.rank;
  robust.mean_ratio = expected > 1e-9 * static_cast<double>(rank) ? std::sqrt(color * squares / expected) : NAN;
  double degrees = std::min(nu, nu / color);
  if (robust.by_mean_ratio) {
    if (std::isnan(robust.mean_ratio)) return robust;
    const double square = robust.mean_ratio * robust.mean_ratio;
    robust.covariance = W * (square * Eigen::MatrixXd::Identity(rank, rank) + (1 - square) * of_priors) * W.transpose();
  } else {
    const FitCurvature H(fit, scores, posterior);
    if (!H.ok()) return robust;
    // W (WᵀHW)⁻¹ = H⁺ W⁻ᵀ, found from H⁺ = W (WᵀHW)⁻¹ Wᵀ in the directions of W.
    const Eigen::MatrixXd bread =
        W * (W.transpose() * H.matrix() * W).ldlt().solve(Eigen::MatrixXd::Identity(rank, rank));
    robust.covariance = bread * (color * F / (F - 1) * outer + of_priors) * bread.transpose();
    degrees = std::min(degrees, F - static_cast<double>(u.spectrum.rank));
  }
  robust.degrees_of_freedom = std::max(1L, std::lround(std::floor(degrees)));
  return robust;
}

}  // namespace pithball::optim
