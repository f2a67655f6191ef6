#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// The rows of one frame of one recording, for all its markers: consecutive.
struct FrameRows {
  Index recording = 0;  ///< index among the recordings with rows
  Index first = 0,      ///< number of the first row
      end = 0;          ///< one past the last row
};

/// Structure of the rows.
struct RowOrder {
  std::vector<FrameRows> frames;  ///< in the order of the rows, all of them
  std::vector<Index> samples;     ///< first row of every sample, followed by the number of rows
  std::vector<Index> previous;    ///< by row: the row of the same marker and component one frame earlier; −1: none
  std::vector<Index> series;      ///< by row: its marker and component, 3 marker + component, within its recording
  std::vector<std::size_t> recordings;  ///< the scenario of each recording with rows
};

/// The order of the rows of a TrajectoryResidual of these scenarios and observations.
RowOrder find_row_order(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations);

/// The rows of each recording that has any; they are consecutive.
std::vector<FrameRows> recording_rows(const RowOrder& order);

/// Samples that a robust loss treats as outliers, in one recording.
struct Downweighted {
  Index scenario = 0;       ///< index of the recording
  Index samples = 0,        ///< number with a weight below one half
      of = 0;               ///< number of all its fitted samples
  Index worst_marker = -1;  ///< the marker with most of these samples
  Index worst_samples = 0;  ///< number of them at that marker
  double first = 0,         ///< recorded time of the first of them [s]
      last = 0;             ///< of the last one [s]
};

/// Samples with `weight` < ½, by recording; recordings without any are omitted.
std::vector<Downweighted> find_downweighted(const std::vector<diff::Scenario>& scenarios,
                                            const std::vector<Observation>& observations, const Vector& weight);

/// Residuals and derivatives at the end of a fit, from which its errors follow without further runs.
struct FitRows {
  Vector r;                 ///< of the data in units of sigma, without a loss, R
  Eigen::MatrixXd J;        ///< R×P
  Vector prior;             ///< of the priors, in units of their own standard deviations
  Eigen::MatrixXd prior_J;  ///< likewise × P; no rows: no priors
  RobustLoss loss;          ///< the loss of the search, with its threshold in units of sigma
  RowOrder order;           ///< which rows form a frame and a sample

  /// Number of parameters, P, including held ones.
  Index parameters() const { return J.cols(); }
};

/// Effect of a loss on the data: the fit solves Σ_j J_jᵀ ψ_j = 0 over samples j.
struct Scores {
  Vector psi;            ///< ψ_j = ρ′(|r_j|²) r_j, R
  Eigen::MatrixXd rows;  ///< √W_j J_j, R×P, so that the curvature is A = rowsᵀ rows
  Vector weight;         ///< ρ′ of each sample, in (0, 1]
  double curvature = 1;  ///< w̄ = Σ_j tr W_j / R: mean weight of a row
};

/// Scores and curvature of a fit with a robust loss, the cost being ½ Σ ρ(|r_j|²):
/// W_j = ρ′ 1 + 2 ρ″ r_j r_jᵀ, without its negative part (Huber & Ronchetti, Robust Statistics, 2009, chapter 7).
/// Without a loss ψ = r and W = 1.
Scores compute_scores(const FitRows& fit);

/// W J, R×P; J without a loss.
Eigen::MatrixXd weigh_derivatives(const FitRows& fit);

/// √ρ′ of the sample of each row, R.
Vector row_weights(const FitRows& fit, const Scores& scores);

/// The standard deviation of normal residuals with this median: median |r| / 0.6745 over all rows (Hampel, J. Am. Stat.
/// Assoc. 69, 1974). Robust against up to half of the rows. NaN without rows.
double median_scale(const Vector& r);

/// Posterior of θ from data and priors, each with its own scale:
///    covariance = C = (J_dᵀJ_d/s² + J_pᵀJ_p)⁻¹,
///    s² = Σ|ψ|²/(R − γ)/w̄²,   γ = P − tr(C J_pᵀJ_p).
/// A prior is in units of its own standard deviation, independent of the residuals. The data determine γ of the P
/// values: the degrees of freedom that they use (MacKay, Neural Computation 4, 1992, section 2.4). ψ and w̄ (`Scores`)
/// are r and 1 without a loss; with one, s² is Huber's estimate of the variance of J^+ψ/w̄ (Huber & Ronchetti 2009,
/// section 7.6), in which outliers have as little weight as in the fit.
struct Posterior {
  Uncertainty formal;  ///< for independent residuals; `scale` is that of the data, covariance = s² W Wᵀ = C
  /// τ² = w̄ s²: ½ Σρ/τ² + ½|r_p|² is minus the log posterior density, so that 1/τ is the weight of the data relative
  /// to priors. s without a loss; NaN: unknown.
  double data_scale = 1;
  double determined_by_data = 0;  ///< γ
};

/// Throws InvalidArgument as `compute_uncertainty` does. `absolute_sigma`: s = 1, unless there is a loss, which hides
/// the scale of the residuals.
Posterior compute_posterior(const FitRows& fit, const Scores& scores, const std::vector<std::string>& names,
                            const UncertaintyOptions& options = {});

/// The unique s² > 0 with s² (R − Σ a_i/(a_i + s² p_i)) = Q: a_i is the information of the data along direction i at s
/// = 1, p_i that of the priors, not both 0. NaN if Q is 0 or the data leave no degree of freedom.
double solve_data_scale(const Vector& data, const Vector& priors, Index rows, double square);

}  // namespace pithball::optim
