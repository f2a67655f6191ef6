#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/track_noise.hpp"
#include "optim/uncertainty/whiteness.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Standard deviations of χ²/ν by which it differs from 1 by accident in less than one fit of ten thousand.
inline constexpr double beyond_chance = 4;

/// Excess of the squared misfit over the squared noise that a model without a cause has to explain.
inline constexpr double large_excess = 1.5;

/// What is called the cause of a misfit explains at least this part of it or of the excess of χ²: what explains less
/// leaves more than it explains, so that something else is the larger part of the cause.
inline constexpr double most_of_misfit = 0.5;

/// Misfit of one recording, per coordinate, compared with the recording's own noise. All numbers are RMS over the
/// fitted coordinates, in the unit of the kind; only their ratios are meaningful.
struct RecordingMisfit {
  std::string recording;                                     ///< as in Scenario::name
  const MeasurementKind* kind = &point_kind();               ///< its measurement kind, in whose unit all numbers are
  Index coordinates = 0;                                     ///< number of fitted ones
  double misfit = std::numeric_limits<double>::quiet_NaN();  ///< model − recorded
  /// Noise that the misfit is compared with: `sigma` if it is absolute; else the recording's own scatter, if it can be
  /// told from the motion (`NoiseTrust`); else `sigma` as written. NaN: unknown.
  double noise = std::numeric_limits<double>::quiet_NaN();
  /// Degrees of freedom of its square, if it is the recording's own scatter; ∞: it was given.
  double noise_degrees = std::numeric_limits<double>::infinity();
  double sigma = std::numeric_limits<double>::quiet_NaN();   ///< the one in whose units χ² is
  double motion = std::numeric_limits<double>::quiet_NaN();  ///< recorded − its mean in time
  double start = std::numeric_limits<double>::quiet_NaN();   ///< misfit of the first fitted frame
  double shift = std::numeric_limits<double>::quiet_NaN();   ///< of the mean of model − recorded over all markers
  /// Recorded time [s] up to which the misfit is at most 3 times the noise; NaN: not even in the first frame.
  double fits_until = std::numeric_limits<double>::quiet_NaN();
  std::string noise_said;  ///< as in TrackNoise::sentence

  /// False if the misfit exceeds 3 times the noise and a tenth of the motion. Noise that neighboring frames share does
  /// not appear in differences, so the noise alone is not a sufficient criterion; it is small compared with the motion.
  bool fits() const { return !(misfit > 3 * noise && misfit > 0.1 * motion); }
  /// "tracks: misfit 18.4 mm, 19 × the noise of 0.97 mm and 0.61 × the RMS motion"
  std::string sentence() const;
};

/// χ² = Σ r² of the fitted residuals in units of their sigma, without a robust loss, and its degrees of freedom.
struct FitQuality {
  double chi_square = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not computed
  long degrees = 0;  ///< ν = residuals − number of determined values; 0: as many values as residuals
  /// ν_eff: ν reduced by correlation in time and between markers.
  double effective_degrees = 0;
  /// 4 √(2/ν_eff + 2/ν_sigma): larger than random deviations of χ²/ν from 1, for normal residuals. ν_sigma: degrees of
  /// freedom of sigma² if it is the tracks' own noise; ∞: it was given.
  double tolerance = std::numeric_limits<double>::quiet_NaN();
  bool absolute_sigma = false;              ///< as in UncertaintyOptions
  bool is_comparable = true;                ///< sigma is a scatter with which residuals can be compared
  bool is_correlated = false;               ///< significantly, in time or between markers
  std::vector<RecordingMisfit> recordings;  ///< the recordings with fitted frames

  double reduced() const;  ///< χ²/ν; NaN without degrees of freedom
  bool fits() const;       ///< all recordings fit
  /// Whether χ²/ν exceeds 1 by more than its tolerance, if sigma is a scatter.
  bool is_above() const;
  /// Whether it lies below 1 by more than its tolerance: sigma is larger than the noise.
  bool is_below() const;
  /// Whether the noise of no recording is known, so that only a baseline could contradict the model.
  bool has_unknown_noise() const;
  /// The part of the misfit that further starts may remove, in a phrase: recordings that do not fit, or whose squared
  /// misfit is more than `large_excess` times their squared motion; or χ²/ν above 1 by more than its tolerance, where
  /// the square of a recording's misfit is more than `large_excess` times that of its noise, if that is known. Empty:
  /// nothing.
  std::string excess() const;
  /// Whether something indicates that the fit is wrong, so that its cause should be found.
  bool calls_for_causes() const { return !fits() || is_above(); }
  /// Notes for the user, one sentence each: χ²/ν above 1 by more than its tolerance, or below 1/9; on either side with
  /// absolute sigma; every misfit.
  std::vector<std::string> notes() const;
};

/// From the residuals r of these scenarios and observations (as in `compute_whiteness`, with its result `whiteness`);
/// `determined`: the number of values determined by the data; `absolute_sigma`: as in UncertaintyOptions.
FitQuality compute_fit_quality(const std::vector<diff::Scenario>& scenarios,
                               const std::vector<Observation>& observations, const Vector& r,
                               const std::vector<RecordingWhiteness>& whiteness, Index determined,
                               bool absolute_sigma = false);

/// An entry of `quality.recordings` in fit.json.
void fields(FieldVisitor& v, RecordingMisfit& one);
/// `quality` of fit.json, without causes.
void fields(FieldVisitor& v, FitQuality& quality);

}  // namespace pithball::optim
