#pragma once
#include <limits>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// The curvature of what a fit makes small, H = A/τ² + J_pᵀJ_p, and its inverse on the directions that are determined.
class FitCurvature {
 public:
  FitCurvature(const FitRows& fit, const Scores& scores, const Posterior& posterior);

  /// Whether there is a scale, and H is positive on all determined directions: a loss can take all of a direction away.
  bool ok() const { return ok_; }
  /// The part of H that these rows of the data have.
  Eigen::MatrixXd data_part(Index first, Index end) const;
  /// −∂L/∂θ of these rows of the data, J ᵀψ/τ² with the sign of r: P.
  Vector score(Index first, Index end) const;
  /// How far θ moves where the data's scores change by g, H⁺ g.
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

/// ρ̂_1 of the scores from frame to frame, over all markers and components and all recordings together, plus what an
/// estimate from F frames falls short of: max(0, ρ̂_1 + (1 + 3ρ̂_1)/F) (Marriott & Pope, Biometrika 41, 1954).
double frame_autocorrelation(const RowOrder& order, const Vector& psi);

/// Errors that hold without independence. With scores of whole frames, g_f = J_fᵀψ_f/τ² over all markers,
///    C_rob = H⁻¹ [F/(F−1) Σ_f g_f g_fᵀ · (1+ρ)/(1−ρ) + J_pᵀJ_p] H⁻¹,
/// the sandwich that is clustered by frame (Liang & Zeger, Biometrika 73, 1986), by which whatever markers share in a
/// frame is counted as it is, times the factor of an autoregression of order 1, by which frames are alike.
struct RobustErrors {
  Eigen::MatrixXd covariance;  ///< P×P; of parameters that are not identifiable, 0; empty: not known
  double autocorrelation = 0;  ///< ρ
  Index frames = 0;            ///< F
  /// √ of the mean over all determined directions of the scores' variance over that of independent residuals. From
  /// independent ones Σ_f |Wᵀg_f|² has the mean Σ_f (tr h_f − tr h_f²), h_f = J_f W WᵀJ_fᵀ/s² the leverages in f; the
  /// ratio is to that, so that it is 1 on the average however few frames there are.
  double mean_ratio = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not known
  /// F < 10 P: too few frames for a covariance of their own. C_rob is then the formal one times mean_ratio², in the
  /// data's part.
  bool by_mean_ratio = false;
  long degrees_of_freedom = 1;  ///< min(ν, ν (1−ρ)/(1+ρ), F − P), at least 1; without F − P where by_mean_ratio
};

/// Frames for each value from which frames tell a covariance.
inline constexpr Index frames_for_each_value = 10;

RobustErrors compute_robust_errors(const FitRows& fit, const Scores& scores, const Posterior& posterior);

}  // namespace pithball::optim
