#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// p-value below which estimates along the recordings differ.
inline constexpr double change_alarm = 1e-3;

/// An estimate of one entry of θ from half of the frames of each recording, all other values being the same in both.
struct HalfEstimate {
  double shift = std::numeric_limits<double>::quiet_NaN();  ///< θ_half − θ̂, one Gauss–Newton step; NaN: unknown
  double error = std::numeric_limits<double>::quiet_NaN();  ///< its standard error
};

/// An entry of θ whose estimates along the recordings were compared.
struct ValueChange {
  Index parameter = 0;                                        ///< the entry of θ
  double p_value = std::numeric_limits<double>::quiet_NaN();  ///< of no change, with Bonferroni's factor, at most 1
  HalfEstimate first_half,                                    ///< from the first half of the frames of each recording
      second_half;                                            ///< likewise from the second half

  /// Difference of the two estimates / standard deviation of such a difference by the standard error `error` of the
  /// estimate from all frames: |Δ|/(2 error), since either half has √2 times the error of the whole.
  double in_errors(double error) const { return std::abs(second_half.shift - first_half.shift) / (2 * error); }
};

/// Whether the values of a fit are the same at all times of its recordings. If a model is wrong, estimates from early
/// and late frames differ; if only the noise is correlated, they agree within their errors.
///
/// The values θ_k may change along each recording, from the start s = 0 to its end s = 1, as
///    θ_k(s) = θ_k + Σ_{j ≤ K} β_kj cos(π j s),
/// and each β_kj is tested alone against 0 in the linearized model r + J δ + G β, G the columns ∂r/∂β.
/// Noise: a first-order autoregression in each series, r_t = ρ r_{t−1} + u_t, with the ρ of `upper_autocorrelation`
/// given all columns [J G], so that neither fitted values nor their changes count as color.
/// With rows filtered by this ρ (`filter_rows`), and marked by a tilde,
///    t = Σ_f z_fᵀr̃_f / √(κ F/(F − q) Σ_f (z_fᵀe_f)²),
/// where z is the part of the column of G that J does not explain, e are the residuals of all q columns, and f counts
/// whole frames, so that correlations between markers are included (as in RobustErrors). κ ≥ 1 is the largest of the
/// ratios 1 + 2 Σ_{l ≤ L} (1 − l/(L + 1)) c_l/c_0 of the scores z_fᵀe_f for L = 1, 2, 4, … up to an eighth of a
/// recording and 128, for the color that the filter leaves (Newey & West, Econometrica 55, 1987; filtered first:
/// Andrews & Monahan, Econometrica 60, 1992). The test needs no sigma.
///
/// It cannot tell noise of the form of a change of a value, such as a drift of markers in a body at rest, from such a
/// change; and a wrong value that is held, such as one mass, is detected only if it makes the best other values change
/// with time.
struct BlockAgreement {
  Index frames = 0;            ///< F, of all recordings
  Index trends = 0;            ///< K; 0: too few frames for any
  double autocorrelation = 0;  ///< ρ of the filter
  double statistic = 0;        ///< the largest |t|
  /// Probability of so small a p-value of any of the t by accident, with Bonferroni's factor, at most 1; those of
  /// Student's t have as many degrees of freedom as there are frames with information on β, at most F − q. NaN: cannot
  /// be tested.
  double p_value = std::numeric_limits<double>::quiet_NaN();
  /// That with the smallest p-value, and every other with p below `change_alarm`; in ascending order of p.
  std::vector<ValueChange> changes;
};

/// Largest number K of trends of each value: slow changes only, below the frequency of the motion, so that slow noise
/// is not mistaken for a change of an oscillation.
inline constexpr Index most_trends = 3;
/// Minimum number of frames per column of the linearized model, of values and trends.
inline constexpr Index frames_for_each_trend = 4;

/// Compares estimates along the recordings of a fit at its optimum; the arguments belong together. For P values K is
/// min(3, F/(4 P) − 1): no test with fewer than 8 P frames.
BlockAgreement compare_blocks(const FitRows& fit, const Scores& scores, const Posterior& posterior);

}  // namespace pithball::optim
