#pragma once
#include "optim/residual/robust_loss.hpp"
#include "optim/uncertainty/row_order.hpp"

namespace pithball::optim {

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

}  // namespace pithball::optim
