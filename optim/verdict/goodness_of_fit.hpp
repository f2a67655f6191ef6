#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "optim/uncertainty/sensitivity_growth.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "optim/uncertainty/whiteness.hpp"
#include "optim/verdict/fit_quality.hpp"
#include "optim/verdict/misfit_causes.hpp"
#include "optim/verdict/position_errors.hpp"

namespace pithball::optim {

/// How a fitted model compares with the recordings.
struct GoodnessOfFit {
  FitErrors errors;                           ///< RMS errors of the model and of its baselines
  FitQuality quality;                         ///< misfit of the recordings compared with their noise
  std::vector<MisfitCause> causes;            ///< if it does not fit: cheapest test first
  std::vector<RecordingWhiteness> whiteness;  ///< of the fitted residuals, by recording
  /// Growth of sensitivity over the fitted frames, by recording; empty: unknown. Not in fit.json.
  std::vector<SensitivityGrowth> growth;
  /// Whether estimates agree along the recordings; computed where residuals are correlated or too large.
  BlockAgreement agreement;
  /// How they differ, in a sentence, if p is below `change_alarm` and the intervals do not account for it; else empty.
  std::string change;
  /// That the fitted motion is so fast for the frames that others fit as well, in a sentence; else empty.
  std::string aliases = {};
  double homogeneity = std::numeric_limits<double>::quiet_NaN();  ///< p-value of equal values in all recordings
  /// How recordings contradict each other, in a sentence, if that is below `contradiction_alarm`; else empty.
  std::string contradiction = {};
  std::string contradicted = {};  ///< the value in that sentence, as in Parameter::name: "stiffness"
  /// What a score test says that the model or the file lacks, if that explains more than a fifth of the excess of χ².
  std::optional<MisfitCause> suspect = {};

  /// Whether residuals beyond the noise are correlated in time or between markers.
  bool has_correlated_residuals() const;
};

/// p-value below which recordings contradict each other.
inline constexpr double contradiction_alarm = 1e-3;

/// `errors`, `quality`, `suspect`, `whiteness`, `agreement`, `homogeneity` and `aliases` of fit.json.
void fields(FieldVisitor& v, GoodnessOfFit& goodness);

}  // namespace pithball::optim
