#pragma once
#include "optim/uncertainty/robust_errors.hpp"

namespace pithball::optim {

/// How θ changes where one recording is left out, to first order from the Jacobian at hand:
///    θ_(−j) − θ̂ = (H − H_j)⁻¹ g_j,   g_j = J_jᵀψ_j/τ²,
/// and the errors that follow, which take whatever recordings differ by as they find it:
///    V = (G−1)/G Σ_j (θ_(−j) − mean)²   (Tukey 1958; Efron & Tibshirani, An Introduction to the Bootstrap,
///    1993, 11.2).
struct Jackknife {
  Eigen::MatrixXd shifts;  ///< P×G: θ_(−j) − θ̂; NaN where the other recordings do not determine a parameter
  Vector standard_error;   ///< of θ, P; NaN for a parameter that fewer than 4 recordings tell of
  Index recordings = 0;    ///< G; degrees of freedom of t: those that tell of a parameter less one
  std::vector<Index> telling;  ///< P: how many recordings tell of the parameter
  /// The recording without which θ moves furthest, by Cook's distance D_j = (θ_(−j) − θ̂)ᵀ H (θ_(−j) − θ̂)/P
  /// (Technometrics 19, 1977); −1: none.
  Index most_influential = -1;
  double cook_distance = 0;
  Index moved_most = -1;  ///< the parameter that it moves by most formal standard errors
};

/// Recordings from which on there is a jackknife.
inline constexpr Index least_recordings = 4;

/// Without standard errors where there are fewer than 4 recordings.
Jackknife compute_jackknife(const FitRows& fit, const Scores& scores, const Posterior& posterior);

}  // namespace pithball::optim
