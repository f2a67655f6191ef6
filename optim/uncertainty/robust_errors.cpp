#include "optim/uncertainty/robust_errors.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

/// A series × series matrix for each recording.
using SeriesMatrices = std::vector<Eigen::MatrixXd>;

/// The rows of a fit in a basis X of θ in which H is the identity: XᵀHX = 1. Residuals are in units of τ.
struct UnitRows {
  const RowOrder& order;
  Vector e;                ///< R
  Eigen::MatrixXd Z;       ///< R×rank: derivatives of the residuals in ψ, without weights
  Eigen::MatrixXd K;       ///< R×rank: the same with the weights of a loss, ∂ψ/∂θ
  Eigen::MatrixXd priors;  ///< rank×rank: XᵀJ_pᵀJ_pX
  double left = 1;         ///< (R − γ)/R

  std::vector<Index> series_of(const FrameRows& frame) const {
    return {order.series.begin() + frame.first, order.series.begin() + frame.end};
  }
};

/// Counts the series of each recording.
std::vector<Index> count_series(const RowOrder& order) {
  std::vector<Index> counts(order.recordings.size(), 0);
  for (const FrameRows& frame : order.frames)
    for (Index row = frame.first; row < frame.end; ++row)
      counts[frame.recording] = std::max(counts[frame.recording], order.series[row] + 1);
  return counts;
}

SeriesMatrices zero_matrices(const RowOrder& order) {
  SeriesMatrices matrices;
  for (const Index S : count_series(order)) matrices.push_back(Eigen::MatrixXd::Zero(S, S));
  return matrices;
}

/// Averages `part(frame)`, a matrix over the rows of a frame, over the frames of each recording; each pair of series is
/// divided by the number of frames that contain both.
template <class Part>
SeriesMatrices mean_over_frames(const UnitRows& rows, Part part) {
  SeriesMatrices means = zero_matrices(rows.order), counts = means;
  for (const FrameRows& frame : rows.order.frames) {
    const std::vector<Index> series = rows.series_of(frame);
    means[frame.recording](series, series) += part(frame);
    counts[frame.recording](series, series).array() += 1;
  }
  for (std::size_t g = 0; g < means.size(); ++g) means[g].array() /= counts[g].array().max(1);
  return means;
}

/// Returns Σ Z by row, R×rank.
Eigen::MatrixXd covary(const UnitRows& rows, const SeriesMatrices& Sigma) {
  Eigen::MatrixXd SZ(rows.Z.rows(), rows.Z.cols());
  for (const FrameRows& frame : rows.order.frames) {
    const std::vector<Index> series = rows.series_of(frame);
    const Index count = frame.end - frame.first;
    SZ.middleRows(frame.first, count) = Sigma[frame.recording](series, series) * rows.Z.middleRows(frame.first, count);
  }
  return SZ;
}

/// Returns Σ̂ of SeriesErrors.
SeriesMatrices find_covariance(const UnitRows& rows) {
  SeriesMatrices Sigma = mean_over_frames(rows, [&](const FrameRows& frame) -> Eigen::MatrixXd {
    const auto e = rows.e.segment(frame.first, frame.end - frame.first);
    return e * e.transpose();
  });
  SeriesMatrices begun = Sigma;
  for (Eigen::MatrixXd& one : begun) one /= rows.left;
  const Eigen::MatrixXd SZ = covary(rows, begun), N = rows.Z.transpose() * SZ + rows.priors;
  const SeriesMatrices taken = mean_over_frames(rows, [&](const FrameRows& frame) -> Eigen::MatrixXd {
    const Index count = frame.end - frame.first;
    const auto K = rows.K.middleRows(frame.first, count);
    const Eigen::MatrixXd half = K * (SZ.middleRows(frame.first, count) - K * N / 2).transpose();
    return half + half.transpose();
  });
  for (std::size_t g = 0; g < Sigma.size(); ++g) Sigma[g] += taken[g];
  return Sigma;
}

/// Returns ρ of SeriesErrors; SZ is Σ̂ Z, and N is defined there.
double find_autocorrelation(const UnitRows& rows, const Eigen::MatrixXd& SZ, const Eigen::MatrixXd& N) {
  const Eigen::MatrixXd KN = rows.K * N;
  double product = 0, expected = 0, pairs = 0;
  for (Index row = 0; row < rows.e.size(); ++row) {
    const Index before = rows.order.previous[row];
    if (before < 0) continue;
    product += rows.e[row] * rows.e[before];
    expected +=
        KN.row(row).dot(rows.K.row(before)) - rows.K.row(row).dot(SZ.row(before)) - SZ.row(row).dot(rows.K.row(before));
    pairs += 1;
  }
  const double mean_square = rows.e.squaredNorm() / static_cast<double>(rows.e.size());
  if (pairs == 0 || mean_square == 0) return 0;
  const auto F = static_cast<double>(rows.order.frames.size());
  const double rho = product / pairs / mean_square, bias = std::max(1 / F, -expected / pairs / mean_square);
  return std::clamp(rho + bias * (1 + 3 * rho), 0.0, 1 - 1 / F);
}

/// Returns a symmetric matrix without its negative eigenvalues.
Eigen::MatrixXd positive_part(const Eigen::MatrixXd& A) {
  const sim::Spectrum spectrum = sim::symmetric_spectrum((A + A.transpose()) / 2);
  return spectrum.vectors * spectrum.values.cwiseMax(0).asDiagonal() * spectrum.vectors.transpose();
}

/// The variance V of one value due to the data, and the variance of V, which determines its degrees of freedom.
struct ValueVariance {
  double variance = 0;
  double of_it = 0;  ///< ½ var V
};

/// Computes both for one value; `side` (rank) is the value's row in the basis of UnitRows.
ValueVariance variance_by_data(const UnitRows& rows, const SeriesMatrices& Sigma, const Vector& side) {
  const Vector w = rows.Z * side;
  ValueVariance found;
  for (std::size_t g = 0; g < Sigma.size(); ++g) {
    const auto frames = std::count_if(rows.order.frames.begin(), rows.order.frames.end(),
                                      [&](const FrameRows& f) { return f.recording == static_cast<Index>(g); });
    Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(frames, Sigma[g].rows());
    Index number = 0;
    for (const FrameRows& frame : rows.order.frames) {
      if (frame.recording != static_cast<Index>(g)) continue;
      for (Index row = frame.first; row < frame.end; ++row) seen(number, rows.order.series[row]) = w[row];
      ++number;
    }
    const Eigen::MatrixXd products = seen * Sigma[g] * seen.transpose();
    const double trace = products.trace(), F = std::max(1.0, static_cast<double>(frames) * rows.left);
    // E tr (BΣ̂)² = tr (BΣ)² (1 + 1/F) + (tr BΣ)²/F; bounded below by its value for equal information in all series.
    const double square = F > 1 ? F * F / ((F - 1) * (F + 2)) * (products.squaredNorm() - trace * trace / F) : 0;
    const auto S = static_cast<double>(Sigma[g].rows());
    found.variance += trace;
    found.of_it += std::clamp(square, trace * trace / S, trace * trace) / F;
  }
  return found;
}

/// Whether the work is affordable; false if the series of the rows are unknown.
bool has_few_products(const FitRows& fit) {
  const RowOrder& order = fit.order;
  if (order.series.size() != order.previous.size() || order.recordings.empty()) return false;
  const std::vector<Index> counts = count_series(order);
  const Index longest = std::max<Index>(*std::max_element(counts.begin(), counts.end()), order.frames.size());
  return static_cast<double>(fit.r.size()) * static_cast<double>(fit.parameters()) * static_cast<double>(longest) <=
         most_series_products;
}

}  // namespace

SeriesErrors compute_series_errors(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  SeriesErrors errors;
  const auto R = static_cast<double>(fit.r.size());
  const double tau = posterior.data_scale, left = (R - posterior.determined_by_data) / R;
  if (!(left > 1e-9) || !has_few_products(fit)) return errors;
  const FitCurvature H(fit, scores, posterior);
  if (!H.ok()) return errors;
  const Eigen::MatrixXd W = posterior.formal.scale.s * posterior.formal.root;
  const Eigen::LLT<Eigen::MatrixXd> root(W.transpose() * H.matrix() * W);
  if (root.info() != Eigen::Success) return errors;
  const Eigen::MatrixXd X = root.matrixL().solve(W.transpose()).transpose(), of_priors = fit.prior_J * X;
  UnitRows rows{fit.order, scores.psi / tau, fit.J * X / tau, {}, of_priors.transpose() * of_priors, left};
  rows.K = fit.loss.is_robust() ? Eigen::MatrixXd(weigh_derivatives(fit) * X / tau) : rows.Z;
  const SeriesMatrices Sigma = find_covariance(rows);
  const Eigen::MatrixXd SZ = covary(rows, Sigma);
  // This can be indefinite where pairs of series occur in different frames.
  const Eigen::MatrixXd by_data = positive_part(rows.Z.transpose() * SZ);
  const Eigen::MatrixXd N = by_data + rows.priors;
  errors.autocorrelation = find_autocorrelation(rows, SZ, N);
  const double color = (1 + errors.autocorrelation) / (1 - errors.autocorrelation);
  errors.covariance = X * (color * by_data + rows.priors) * X.transpose();
  errors.mean_ratio = std::sqrt(color * by_data.trace() / (rows.Z.transpose() * rows.K).trace());
  errors.degrees_of_freedom.resize(X.rows());
  for (Index k = 0; k < X.rows(); ++k) {
    const ValueVariance one = variance_by_data(rows, Sigma, X.row(k).transpose());
    const double part = color * one.variance, whole = errors.covariance(k, k);
    const double degrees = one.variance * one.variance / one.of_it / color * std::pow(whole / part, 2);
    errors.degrees_of_freedom[k] = std::isfinite(degrees) ? std::max(1.0, degrees) : 1;
  }
  return errors;
}

FitCurvature::FitCurvature(const FitRows& fit, const Scores& scores, const Posterior& posterior)
    : fit_(fit), scores_(scores), weight_(1 / (posterior.data_scale * posterior.data_scale)) {
  if (!std::isfinite(weight_)) return;
  matrix_ = data_part(0, fit.r.size()) + fit.prior_J.transpose() * fit.prior_J;
  // In the basis of the formal errors, H is near the identity, whatever the units of θ.
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

/// Scores of frames in the directions of W, where WᵀC⁻¹W = 1 for the formal covariance C.
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

/// Computes the errors from the covariance of series; returns false if there is none.
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
