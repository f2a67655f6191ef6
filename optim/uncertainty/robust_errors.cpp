#include "optim/uncertainty/robust_errors.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "optim/uncertainty/series_errors.hpp"

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

long RobustErrors::degrees_of(Index k) const {
  return value_degrees.size() > 0 ? std::max(1L, std::lround(std::floor(value_degrees[k]))) : degrees_of_freedom;
}

namespace {

/// (1+ρ)/(1−ρ).
double factor_of_color(double rho) { return (1 + rho) / (1 - rho); }

/// Scores of frames in the directions of W, WᵀCW⁻¹ = 1 for the formal covariance C.
struct FrameScores {
  Eigen::MatrixXd outer;      ///< Σ_f g_f g_fᵀ
  double expected = 0;        ///< Σ_f (tr h_f − tr h_f²)
  Eigen::MatrixXd of_priors;  ///< WᵀJ_pᵀJ_p W
};

FrameScores add_frames(const FitRows& fit, const Scores& scores, const Posterior& posterior, const Eigen::MatrixXd& W) {
  const double s = posterior.formal.scale.s, weight = 1 / (posterior.data_scale * posterior.data_scale);
  const Index rank = W.cols();
  FrameScores sums{Eigen::MatrixXd::Zero(rank, rank), 0, W.transpose() * fit.prior_J.transpose() * fit.prior_J * W};
  for (const FrameRows& frame : fit.order.frames) {
    const Eigen::MatrixXd rows = fit.J.middleRows(frame.first, frame.end - frame.first) * W;
    const Vector g = weight * rows.transpose() * scores.psi.segment(frame.first, frame.end - frame.first);
    sums.outer += g * g.transpose();
    const Eigen::MatrixXd leverage = rows.transpose() * rows / (s * s);
    sums.expected += leverage.trace() - leverage.squaredNorm();
  }
  return sums;
}

/// Errors from the covariance of series; false: there is none.
bool take_series(const FitRows& fit, const Scores& scores, const Posterior& posterior, double nu,
                 RobustErrors& robust) {
  SeriesErrors series = compute_series_errors(fit, scores, posterior);
  if (series.covariance.size() == 0) return false;
  robust.covariance = std::move(series.covariance);
  robust.autocorrelation = series.autocorrelation;
  robust.mean_ratio = series.mean_ratio;
  const double most = std::max(1.0, std::floor(nu / factor_of_color(series.autocorrelation)));
  robust.value_degrees = series.degrees_of_freedom.cwiseMin(most);
  robust.degrees_of_freedom = std::lround(most);
  return true;
}

}  // namespace

RobustErrors compute_robust_errors(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  const Uncertainty& u = posterior.formal;
  RobustErrors robust;
  robust.frames = static_cast<Index>(fit.order.frames.size());
  if (!std::isfinite(u.scale.s) || u.spectrum.rank == 0 || robust.frames < 2) return robust;
  const auto F = static_cast<double>(robust.frames);
  const double nu = static_cast<double>(std::max(1L, u.scale.degrees_of_freedom));
  const bool are_few = robust.frames < frames_for_each_value * u.spectrum.rank;
  if (are_few && take_series(fit, scores, posterior, nu, robust)) return robust;
  robust.autocorrelation = frame_autocorrelation(fit.order, scores.psi);
  const double color = factor_of_color(robust.autocorrelation);
  const Eigen::MatrixXd W = u.scale.s * u.root;
  const Index rank = W.cols();
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(rank, rank);
  const FrameScores sums = add_frames(fit, scores, posterior, W);
  if (sums.expected > 1e-9 * static_cast<double>(rank))
    robust.mean_ratio = std::sqrt(color * sums.outer.trace() / sums.expected);
  robust.by_mean_ratio = are_few;
  double degrees = std::min(nu, nu / color);
  if (robust.by_mean_ratio) {
    if (std::isnan(robust.mean_ratio)) return robust;
    const double square = robust.mean_ratio * robust.mean_ratio;
    robust.covariance = W * (square * one + (1 - square) * sums.of_priors) * W.transpose();
  } else {
    const FitCurvature H(fit, scores, posterior);
    if (!H.ok()) return robust;
    // W (WᵀHW)⁻¹ = H⁺ W⁻ᵀ, found from H⁺ = W (WᵀHW)⁻¹ Wᵀ in the directions of W.
    const Eigen::MatrixXd bread = W * (W.transpose() * H.matrix() * W).ldlt().solve(one);
    robust.covariance = bread * (color * F / (F - 1) * sums.outer + sums.of_priors) * bread.transpose();
    degrees = std::min(degrees, F - static_cast<double>(u.spectrum.rank));
  }
  robust.degrees_of_freedom = std::max(1L, std::lround(std::floor(degrees)));
  return robust;
}

}  // namespace pithball::optim
