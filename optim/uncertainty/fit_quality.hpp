#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/observation/track_noise.hpp"
#include "optim/uncertainty/whiteness.hpp"

namespace pithball::optim {

/// How far the model is from one recording, coordinate by coordinate, beside what the recording itself scatters by.
/// All numbers are RMS over the fitted coordinates, in the unit of the kind, so that only their ratios tell anything.
struct RecordingMisfit {
  std::string recording;
  const MeasurementKind* kind = &point_kind();
  Index coordinates = 0;
  double misfit = std::numeric_limits<double>::quiet_NaN();  ///< model − recorded
  /// Scatter of the recording, model-free; NaN: too few unbroken frames, so that only the misfit can tell.
  double noise = std::numeric_limits<double>::quiet_NaN();
  double motion = std::numeric_limits<double>::quiet_NaN();  ///< recorded − its mean in time
  double start = std::numeric_limits<double>::quiet_NaN();   ///< misfit of the first fitted frame
  double shift = std::numeric_limits<double>::quiet_NaN();   ///< of the mean of model − recorded over all markers
  /// Until this recorded time [s] the misfit is at most 3 times the noise; NaN: not even in the first frame.
  double fits_until = std::numeric_limits<double>::quiet_NaN();
  std::string noise_said;  ///< TrackNoise::sentence

  /// Not: more than 3 times the noise and more than a tenth of the motion away. Noise that is common to neighboring
  /// frames escapes differences, so that the noise alone is no measure; beside the motion it is small.
  bool fits() const { return !(misfit > 3 * noise && misfit > 0.1 * motion); }
  /// "tracks: misfit 18.4 mm, 19 × the noise of 0.97 mm and 0.61 × the RMS motion"
  std::string sentence() const;
};

/// χ² = Σ r² of the fitted residuals in units of their sigma, before a robust loss, beside its degrees of freedom.
struct FitQuality {
  double chi_square = std::numeric_limits<double>::quiet_NaN();
  long degrees = 0;  ///< ν = residuals − values that the data determine; 0: as many values as residuals
  /// ν_eff: ν less the share that correlation in time and between markers takes away.
  double effective_degrees = 0;
  /// Of sigma² where it is the tracks' own scatter; ∞: it was written.
  double sigma_degrees = std::numeric_limits<double>::infinity();
  bool absolute_sigma = false;
  bool is_comparable = true;   ///< sigma is a scatter, of which residuals can be more or less
  bool is_correlated = false;  ///< in time or between markers, beyond doubt
  std::vector<RecordingMisfit> recordings;

  double reduced() const;  ///< χ²/ν; NaN without degrees of freedom
  /// 4 √(2/ν_eff + 2/ν_sigma): more than χ²/ν differs from 1 by chance, of normal residuals.
  double tolerance() const;
  bool fits() const;  ///< all recordings
  /// Whether χ²/ν is above 1 by more than its tolerance, of a sigma that is a scatter.
  bool is_above() const;
  /// What the user should know, one sentence each: χ²/ν beyond its tolerance above 1, or on either side where sigma is
  /// called known; every misfit.
  std::vector<std::string> notes() const;
};

/// Of the residuals r of these scenarios and observations (as `compute_whiteness`, whose result `whiteness` is);
/// `determined`: how many values the data determine.
FitQuality compute_fit_quality(const std::vector<diff::Scenario>& scenarios,
                               const std::vector<Observation>& observations, const Vector& r,
                               const std::vector<RecordingWhiteness>& whiteness, Index determined);

}  // namespace pithball::optim
