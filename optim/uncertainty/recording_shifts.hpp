#pragma once
#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::optim {

/// How recorded readings may be shifted relative to those of the body, by row.
struct ShiftRows {
  Vector by_shift;  ///< change of the residual by a shift of the reading of its component, 1/σ; 0: not tested
  Vector place;     ///< time of the frame in its recording, from −½ at the first to ½ at the last
};

/// Kinds of shifts, which are constant (b) or a drift, b (s − ½) for s from 0 at the first frame to 1 at the last.
enum class ShiftKind {
  Translation,  ///< all markers shift alike
  Drift,        ///< all markers drift alike: b is the drift over the recording
  Own,          ///< one marker shifts against the mean of all
};

/// A shift that the residuals of a fit show.
struct RecordingShift {
  Index recording = 0;                      ///< index among the recordings with rows
  ShiftKind kind = ShiftKind::Translation;  ///< what is shifted
  Index marker = -1;                        ///< of a marker's own shift
  Vec3 size = Vec3::Zero();                 ///< b by component, in the unit of the kind
  Vec3 error = Vec3::Zero();                ///< its standard errors
  Index component = 0;                      ///< the component with the smallest p-value
  double p_value = 1;                       ///< of b = 0 there, times the number of all tests
};

/// Constant shifts and slow drifts of recordings: errors that neither the scores of frames nor an autocorrelation show,
/// because they do not average out.
///
/// In the linearized model r + J δ + G β with β shifts of all series and drifts of all components, β is estimated by
/// least squares together with θ; with a loss, reweighted until it settles, or 50 times. Its covariance is that of
/// `SeriesErrors` of the extended model, with Satterthwaite's degrees of freedom, so that noise which markers share or
/// which is autocorrelated does not count as a shift. What is significant at `shift_significance` (p of t, times the
/// number of tests) becomes a nuisance value with prior N(0, σ_b²), where σ_b² is the mean of b² over the components.
/// The estimates are not changed; to first order they are wrong by −H⁺JᵀW G_b b/τ², so that
///    C ← C + B Σ_b Bᵀ,   B = H⁺JᵀW G_b/τ².
struct RecordingShifts {
  std::vector<RecordingShift> found;  ///< significant ones, by recording; own ones last
  Eigen::MatrixXd covariance;         ///< P×P, of the estimates by all of them; empty: none
};

/// Largest p-value of a shift that counts.
inline constexpr double shift_significance = 1e-3;
/// Smallest shift that counts, relative to the sigma of a reading: what is smaller can be the error of an integrator in
/// a recording without noise. With white noise it could be seen from 2,000 frames on.
inline constexpr double least_shift = 0.1;
/// Largest number of products of rows and squared values, with shifts of all series: below a second for each
/// weighting. Beyond it own shifts of markers are not tested.
inline constexpr double most_shift_products = 1e8;

/// Tests the recordings of a fit at its optimum; the arguments belong together. A shift that θ contains (a fitted
/// placement, a free body's start) cannot be told from it and is not found.
RecordingShifts find_recording_shifts(const FitRows& fit, const Scores& scores, const Posterior& posterior,
                                      const ShiftRows& shifts);

}  // namespace pithball::optim
