#pragma once
#include "optim/uncertainty/robust_errors.hpp"

namespace pithball::optim {

/// Changes of θ if one recording is left out, to first order from the existing Jacobian:
///    θ_(−j) − θ̂ = (H − H_j)⁻¹ g_j,   g_j = J_jᵀψ_j/τ²,
/// and the resulting errors, which include any differences between recordings:
///    V = (G−1)/G Σ_j (θ_(−j) − mean)²   (Tukey 1958; Efron & Tibshirani, An Introduction to the Bootstrap,
///    1993, 11.2).
struct Jackknife {
  Eigen::MatrixXd shifts;  ///< P×G: θ_(−j) − θ̂; NaN where the other recordings do not determine a parameter
  Vector standard_error;   ///< of θ, P; NaN for a parameter determined by fewer than 4 recordings
  Index recordings = 0;    ///< G; degrees of freedom of t: number of recordings that determine a parameter minus one
  std::vector<Index> telling;  ///< P: number of recordings that determine the parameter
  /// The recording with the largest influence, by Cook's distance D_j = (θ_(−j) − θ̂)ᵀ H (θ_(−j) − θ̂)/P (Technometrics
  /// 19, 1977); −1: none.
  Index most_influential = -1;
  double cook_distance = 0;  ///< D of that recording
  Index moved_most = -1;     ///< the parameter that changes most without it, in formal standard errors
};

/// Minimum number of recordings for a jackknife.
inline constexpr Index least_recordings = 4;

/// No standard errors for fewer than 4 recordings.
Jackknife compute_jackknife(const FitRows& fit, const Scores& scores, const Posterior& posterior);

}  // namespace pithball::optim
