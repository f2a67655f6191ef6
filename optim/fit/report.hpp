#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/fit/error_report.hpp"
#include "optim/fit/fit_errors.hpp"
#include "optim/fit/fit_profiles.hpp"
#include "optim/fit/problem.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/uncertainty/fit_quality.hpp"
#include "optim/uncertainty/sensitivity_growth.hpp"
#include "optim/uncertainty/whiteness.hpp"

namespace pithball::optim {

/// The initial state that was estimated for a validation recording (`StartFit`).
struct FoundStart {
  std::size_t recording = 0;  ///< index in FitProblem::scenarios
  sim::State state;           ///< at simulated time 0: positions [m] and velocities [m/s]
};

/// Scales of the residuals, in units of a possibly wrong sigma.
struct ResidualScales {
  double data = 1;       ///< τ (`Posterior::data_scale`), the weight of the data relative to priors
  double threshold = 1;  ///< of a loss: the median scale of the residuals, relative to which outliers are far away
};

/// One line of the table of results.
struct FittedParameter {
  std::string name,          ///< as in ParameterInfo
      value,                 ///< likewise
      group,                 ///< likewise
      recording,             ///< likewise
      unit;                  ///< likewise
  bool is_nuisance = false;  ///< likewise
  double initial = 0,        ///< physical value at the start of the search
      estimate = 0;          ///< physical value at its end
  /// To first order: |dp/dθ| times that of θ, of the kind with the widest interval. ∞: not identifiable; NaN: not
  /// computed.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  ErrorKind widest = ErrorKind::Formal;  ///< the kind from which `standard_error` is
  /// The same for each kind; NaN: unknown.
  double formal_error = std::numeric_limits<double>::quiet_NaN();
  /// Of independent or autoregressive frames; NaN: unknown.
  double robust_error = std::numeric_limits<double>::quiet_NaN();
  /// Of independent recordings, at least four; NaN: unknown.
  double jackknife_error = std::numeric_limits<double>::quiet_NaN();
  /// Image of θ's widest interval under the transform, or from a profile or resampling (`method`); never beyond a
  /// bound. On a bound one-sided (bounded_errors.hpp), and from 0 to `upper_limit` if there is one.
  double interval_lower = std::numeric_limits<double>::quiet_NaN();
  double interval_upper = std::numeric_limits<double>::quiet_NaN();  ///< the other end; ∞: open
  /// For a non-negative value consistent with 0: the end of a one-sided interval (limits.hpp). NaN: none.
  double upper_limit = std::numeric_limits<double>::quiet_NaN();
  bool limit_holds =
      true;  ///< false: the model does not fit the recordings, so the limit does not apply to the true value
  IntervalMethod method = IntervalMethod::Linear;  ///< how the interval was computed
  /// Relative deviation of Δχ² at the ends of the linearized interval from its linear value; NaN: not checked.
  double curvature = std::numeric_limits<double>::quiet_NaN();
  /// Whether its interval is finite and, for a value that keeps its sign, within a factor of 4 of the estimate on
  /// either side, or it has an upper limit. False if an undetermined direction contains it.
  bool identifiable = true;
  std::string weak_direction;  ///< the undetermined direction that contains it; empty if identifiable
  bool at_bound = false;       ///< the estimate lies on a bound
  /// Change of the estimate at half the time step, in standard errors, and the extrapolated estimate without the
  /// integration error (half_step.hpp). NaN: unknown.
  double half_step_shift = std::numeric_limits<double>::quiet_NaN();
  double extrapolated = std::numeric_limits<double>::quiet_NaN();  ///< physical value
};

/// A possible cause of a misfit, and its remedy.
struct MisfitCause {
  std::string reason,  ///< a phrase: "local minimum"
      remedy;          ///< a phrase: what to change or to test
};

/// Where χ² is rough, the values of one parameter that fit as well as the best within the scatter of χ².
struct RoughInterval {
  Index entry = 0;  ///< index in θ
  /// Physical values: the nearest ones tried on either side that fit worse; ±∞: none does.
  double lower = 0,    ///< below the estimate
      upper = 0;       ///< above it
  double scatter = 0;  ///< standard deviation of ln χ² about a smooth curve through the values tried
};

/// End of the search from one start in one stage.
struct FoundMinimum {
  Index start = 0;        ///< index of the start; 0: the given one
  MinimizerReport found;  ///< its path and its end
  /// In the last stage: 0 at the estimates, k at their k-th alternative (minima.hpp); −1: at a worse place, not at a
  /// minimum, or not examined.
  Index place = -1;
};

/// Result of a stage, lowest cost first; costs of different stages are not comparable.
struct StageReport {
  SearchStage stage;                 ///< as requested, or chosen from the sensitivity
  std::vector<FoundMinimum> minima;  ///< one for each start, lowest cost first
};

/// Another minimum that the recordings do not distinguish from the estimates (minima.hpp).
struct AlternativeEstimate {
  Vector theta;                             ///< P
  std::vector<FittedParameter> parameters;  ///< with their own errors, like the estimates
  std::string values;                       ///< "stiffness = 35.5 N/m": the first requested ones
  double delta_chi_square = 0;              ///< its χ² minus that of the estimates
  Index searches = 0;                       ///< searches of the last stage that ended there
};

/// The result of a fit: plain data, the content of fit.json.
struct FitReport {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how the best search of the last stage ended
  std::string message;                               ///< why it ended, in a sentence
  Vector theta;  ///< argument of ParameterMap::scatter or, preferably, fitted_scenarios (judged_starts.hpp)
  std::vector<FoundStart> started;  ///< by recording with a StartFit; empty: none
  ResidualScales scales;            ///< scales of the residuals in the search
  Vector theta_error;               ///< formal standard errors of θ; empty: not computed
  Vector half_step;                 ///< change of θ at half the time step (half_step.hpp); empty: unknown
  /// Length of the residuals at half the time step; NaN: unknown.
  double half_step_length = std::numeric_limits<double>::quiet_NaN();
  std::vector<FittedParameter> parameters;     ///< P, in the order of θ
  double confidence = 0.95;                    ///< confidence level of the parameters' intervals
  Eigen::MatrixXd correlation;                 ///< P×P; NaN where unknown, 0×0 if not computed
  std::vector<WeakDirection> weak_directions;  ///< directions that the data do not determine
  Vector singular_values;                      ///< of the column-scaled Jacobian
  /// Largest / smallest singular value; ∞: a singular Jacobian; NaN: not computed.
  double condition = std::numeric_limits<double>::quiet_NaN();
  double residual_scale = std::numeric_limits<double>::quiet_NaN();  ///< s: 1 if sigma and model are right
  ErrorReport errors;                                                ///< how standard errors were computed
  long degrees_of_freedom = 0;                                       ///< R − number of values that the data determine
  std::vector<double> cost_history;           ///< L after each iteration of the last stage, from its start on
  std::vector<Vector> path;                   ///< θ after each iteration (MinimizerReport::path)
  std::vector<MarkerTracks> tracks;           ///< by recording; empty if the fit failed
  PositionErrors fit,                         ///< of the fitted samples of all recordings
      validation_frames,                      ///< of all validation frames
      validation_markers;                     ///< of all validation markers in fitted frames
  std::vector<RecordingErrors> recordings;    ///< by recording and part, without parts that have no samples
  std::vector<RecordingWhiteness> whiteness;  ///< of the fitted residuals, by recording
  FitQuality quality;                         ///< misfit of the recordings compared with their noise
  std::vector<MisfitCause> misfit_causes;     ///< if it does not fit: cheapest test first
  std::vector<RoughInterval> rough;           ///< where χ² is rough at the estimates; empty: it is smooth
  std::vector<FittedProfile> profiles;        ///< requested ones, and those of values that are not linear enough
  std::vector<SensitivityGrowth>
      growth;                       ///< growth of sensitivity over the fitted frames, by recording; empty: unknown
  std::vector<StageReport> search;  ///< every minimum found, by stage
  std::vector<AlternativeEstimate> alternatives;  ///< alternative estimates, best first
  std::vector<std::string> search_summary;  ///< how the search went and what it found, one sentence each: no warnings
  EvaluationCounts evaluations;             ///< of all searches and of what was computed after them
  int failed_evaluations = 0;               ///< points of the search at which a simulation failed
  double seconds = 0;                       ///< duration of the fit, by the wall clock [s]
  std::vector<std::string> notes;           ///< notes for the user, one sentence each
};

}  // namespace pithball::optim
