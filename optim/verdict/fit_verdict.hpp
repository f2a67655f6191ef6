#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "optim/search/minimizer.hpp"
#include "optim/uncertainty/sensitivity_growth.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "optim/uncertainty/whiteness.hpp"
#include "optim/verdict/fit_quality.hpp"
#include "optim/verdict/misfit_causes.hpp"
#include "optim/verdict/position_errors.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/doubt.hpp"

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
  /// A sentence if the fitted motion is so fast compared with the frames that others fit as well; else empty.
  std::string aliases = {};
  double homogeneity = std::numeric_limits<double>::quiet_NaN();  ///< p-value of equal values in all recordings
  /// How recordings contradict each other, in a sentence, if that is below `contradiction_alarm`; else empty.
  std::string contradiction = {};
  std::string contradicted = {};  ///< the value in that sentence, as in Parameter::name: "stiffness"
  /// What the model or the file lacks according to a score test, if that explains more than `telling_part` of the
  /// excess of χ² (misfit_diagnosis.hpp).
  std::optional<MisfitCause> suspect = {};

  /// Whether residuals beyond the noise are correlated in time or between markers.
  bool has_correlated_residuals() const;
};

/// Halving the step of a first-order integrator removes half of its error: an estimate that moves by more standard
/// errors, beyond its 95 % interval, is affected by the integrator more than by noise.
inline constexpr double most_standard_errors = 2;

/// p-value below which recordings contradict each other.
inline constexpr double contradiction_alarm = 1e-3;

/// `errors`, `quality`, `suspect`, `whiteness`, `agreement`, `homogeneity` and `aliases` of fit.json.
void fields(FieldVisitor& v, GoodnessOfFit& goodness);

/// Estimates of a fit at half the time step.
struct HalvedStep {
  /// A parameter there, and by how much it differs from the estimate of the fit.
  struct Change {
    std::string name;                                            ///< of the parameter
    double estimate = std::numeric_limits<double>::quiet_NaN();  ///< physical value at half the step
    /// Its change / standard error; NaN: not identifiable.
    double in_standard_errors = std::numeric_limits<double>::quiet_NaN();
  };
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how its search ended
  std::vector<Change> parameters;                    ///< in the order of the fit's own
  /// It ended in another minimum, so the comparison does not measure the effect of the step: the estimates deviate from
  /// the prediction of one run at half the step by more than 3 standard errors and more than the predicted change.
  bool another_minimum = false;
};

/// A minimum that the recordings do not distinguish from the estimates.
struct OtherMinimum {
  std::string values;           ///< "stiffness = 35.5 N/m": the first requested ones
  double delta_chi_square = 0;  ///< its χ² minus that of the estimates
  Index searches = 0;           ///< number of searches of the last stage that ended there
  bool is_reversal = false;     ///< its depth is that of the estimates reversed (depth_reversal.hpp)
};

/// Number of other minima listed in a sentence.
inline constexpr std::size_t listed_alternatives = 3;

/// "Δχ² = 2.3", or "Δχ² < 0.01", below which differences are meaningless.
std::string say_delta(double delta);

/// All that a verdict on a fit depends on.
struct FitEvidence {
  MinimizerStatus status;                  ///< how the best search of the last stage ended
  std::string message;                     ///< why, in a sentence
  std::size_t searches;                    ///< number of searches of that stage
  bool is_prediction;                      ///< nothing was fitted
  std::vector<OtherMinimum> others;        ///< best first
  const GoodnessOfFit& goodness;           ///< of the estimates
  const HalvedStep* halved = nullptr;      ///< the fit at half the time step; null: not requested
  std::vector<sim::Doubt> gradients = {};  ///< why the search's derivatives are not those of the motion
  std::optional<sim::Doubt> step = {};     ///< that halving the time step would change estimates beyond their intervals
};

/// Verdict on a fit: how its search ended, and why its estimates may be wrong although the search converged.
RunVerdict judge_fit(const FitEvidence& evidence);

/// `halved_step` of fit.json, which a report shows unchanged.
void fields(FieldVisitor& v, HalvedStep& halved);
/// An entry of `halved_step.parameters` in fit.json.
void fields(FieldVisitor& v, HalvedStep::Change& change);

}  // namespace pithball::optim
