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

/// The curvature of a fit's cost, H = A/τ² + J_pᵀJ_p, and its inverse on the determined directions.
class FitCurvature {
 public:
  /// The first two must outlive this object.
  FitCurvature(const FitRows& fit, const Scores& scores, const Posterior& posterior);

  /// Whether there is a scale, and H is positive on all determined directions: a loss can remove all information along
  /// one.
  bool ok() const { return ok_; }
  /// The contribution of these rows of the data to H.
  Eigen::MatrixXd data_part(Index first, Index end) const;
  /// −∂L/∂θ of these rows of the data, J ᵀψ/τ² with the sign of r: P.
  Vector score(Index first, Index end) const;
  /// The change of θ for a change g of the data's scores, H⁺ g.
  Vector solve(const Vector& g) const;
  const Eigen::MatrixXd& inverse() const { return inverse_; }  ///< H⁺, P×P
  const Eigen::MatrixXd& matrix() const { return matrix_; }    ///< H, P×P

 private:
  const FitRows& fit_;
  const Scores& scores_;
  double weight_ = 1;  ///< 1/τ²
  bool ok_ = false;
  Eigen::MatrixXd matrix_, inverse_;
};

/// ρ̂_1 of the scores from frame to frame, over all markers, components and recordings, with a correction for the bias
/// of an estimate from F frames: max(0, ρ̂_1 + (1 + 3ρ̂_1)/F) (Marriott & Pope, Biometrika 41, 1954).
double frame_autocorrelation(const RowOrder& order, const Vector& psi);

/// Errors that do not assume independent residuals. With scores of whole frames, g_f = J_fᵀψ_f/τ² over all markers,
///    C_rob = H⁻¹ [F/(F−1) Σ_f g_f g_fᵀ · (1+ρ)/(1−ρ) + J_pᵀJ_p] H⁻¹,
/// the sandwich estimator clustered by frame (Liang & Zeger, Biometrika 73, 1986), which includes correlations between
/// markers in a frame, times the factor of a first-order autoregression for correlations between frames. With F < 10 P
/// it is that of `SeriesErrors`, or, where that is too much work, the formal one times a mean ratio.
struct RobustErrors {
  Eigen::MatrixXd covariance;  ///< P×P; 0 for parameters that are not identifiable; empty: unknown
  double autocorrelation = 0;  ///< ρ; with F < 10 P corrected for the bias by the fit (`SeriesErrors`)
  Index frames = 0;            ///< F
  /// √ of the mean over all determined directions of the scores' variance divided by that of independent residuals. For
  /// independent ones Σ_f |Wᵀg_f|² has the mean Σ_f (tr h_f − tr h_f²), where h_f = J_f W WᵀJ_fᵀ/s² are the leverages
  /// in f; the ratio is relative to that, so that its mean is 1 for any number of frames. By `SeriesErrors` it is that
  /// of their variances.
  double mean_ratio = std::numeric_limits<double>::quiet_NaN();  ///< NaN: unknown
  /// C_rob is the formal one times mean_ratio², for the part of the data.
  bool by_mean_ratio = false;
  long degrees_of_freedom = 1;  ///< min(ν, ν (1−ρ)/(1+ρ), F − P), at least 1; without F − P if F < 10 P
  Vector value_degrees;         ///< Satterthwaite's by entry of θ, P, at most the above; empty: the above for all

  /// Degrees of freedom of the robust error of one entry of θ.
  long degrees_of(Index k) const;
};

/// Minimum number of frames per value for a separate covariance.
inline constexpr Index frames_for_each_value = 10;

/// The covariance of a fit from the scores of its frames.
RobustErrors compute_robust_errors(const FitRows& fit, const Scores& scores, const Posterior& posterior);

}  // namespace pithball::optim
