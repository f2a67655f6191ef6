#pragma once
#include <limits>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// Errors that hold for noise that series share, where frames are too few for the scores of frames. A series is one
/// component of one marker in one recording. The noise of a frame has the covariance Σ between series (S×S for each
/// recording), the same in all its frames:
///    C = H⁻¹ [(1+ρ)/(1−ρ) Σ_f J_fᵀ Σ̂ J_f/τ² + J_pᵀJ_p] H⁻¹,
/// with J_f the rows of frame f, and all of r in units of τ. Instead of P(P+1)/2 means of scores over F frames, each
/// variance needs one: Σ_f w_fᵀΣ̂ w_f, w = J H⁻¹ e_k, is a mean of squares of residuals.
///
/// Σ̂_mn is the mean of ψ_fm ψ_fn over the frames in which both are seen, plus what the fit took away. Residuals are
/// e = ε − K (Zᵀε + ε_p), where K and Z are the rows of W J and J in directions in which H is 1, so that
///    E e_f e_fᵀ = Σ − K_f Z_fᵀ Σ − Σ Z_f K_fᵀ + K_f N K_fᵀ,   N = Σ_f Z_fᵀ Σ Z_f + the same of priors;
/// the last three terms are computed with Σ̂ R/(R − γ) (method of moments, one step; the idea of CR2, Bell & McCaffrey,
/// Survey Methodology 28, 2002, with the estimated Σ in place of 1).
///
/// ρ is as in `frame_autocorrelation`, ρ̂ + a (1 + 3ρ̂), but a is the larger one of 1/F and minus the ρ̂ that the fit
/// leaves of noise without color: −Σ_f tr E e_f e_{f−1}ᵀ, with Σ̂, by pair, relative to the mean square.
///
/// Degrees of freedom of t are Satterthwaite's (Pustejovsky & Tipton, J. Bus. Econ. Stat. 36, 2018): 2 V²/var V of
/// V = Σ w_fᵀΣ̂ w_f, F' (tr BΣ)²/tr (BΣ)² by recording, with B = Σ_f w_f w_fᵀ, F' = F (R − γ)/R, and for tr (BΣ)² its
/// unbiased estimate from Σ̂ of F' normal frames; divided by the factor of ρ.
struct SeriesErrors {
  Eigen::MatrixXd covariance;  ///< P×P; 0 for parameters that are not identifiable; empty: unknown
  Vector degrees_of_freedom;   ///< of t by entry of θ, P, at least 1
  double autocorrelation = 0;  ///< ρ
  /// √ of the mean over all determined directions of the scores' variance divided by that of independent residuals.
  double mean_ratio = std::numeric_limits<double>::quiet_NaN();
};

/// Largest number of products for the covariance of series, of rows, values, and series or frames; beyond it
/// the mean ratio of robust to formal errors is used.
inline constexpr double most_series_products = 2e7;

/// Unknown (an empty covariance) where the residuals have no scale or no degrees of freedom, where H is singular, or if
/// it takes more than `most_series_products`.
SeriesErrors compute_series_errors(const FitRows& fit, const Scores& scores, const Posterior& posterior);

}  // namespace pithball::optim
