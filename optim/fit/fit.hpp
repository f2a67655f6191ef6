#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/fit/error_report.hpp"
#include "optim/fit/fit_errors.hpp"
#include "optim/fit/fit_profiles.hpp"
#include "optim/fit/search.hpp"
#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter.hpp"
#include "optim/residual/robust_loss.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/residual/whole_run.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/uncertainty/carried_error.hpp"
#include "optim/uncertainty/fit_quality.hpp"
#include "optim/uncertainty/sensitivity_growth.hpp"
#include "optim/uncertainty/uncertainty.hpp"
#include "optim/uncertainty/whiteness.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Which minimizer: Levenberg–Marquardt on tangents for few parameters; for many, Gauss–Newton on products with the
/// Jacobian and its transpose, or L-BFGS on the adjoint.
enum class FitSolver { LevenbergMarquardt, GaussNewton, Lbfgs };

/// All of them.
inline constexpr FitSolver fit_solvers[] = {FitSolver::LevenbergMarquardt, FitSolver::GaussNewton, FitSolver::Lbfgs};

/// "levenberg_marquardt", "gauss_newton", "lbfgs": the words of experiment files.
std::string to_string(FitSolver solver);

/// How the interval of a value is found.
enum class IntervalMethod {
  Linear,     ///< from the covariance of the linearized problem
  Profile,    ///< where the profile of χ² ends, if the linearized interval does not hold (checked_intervals.hpp)
  Bootstrap,  ///< from fits to recordings with resampled residuals (bootstrap.hpp)
};

/// All of them.
inline constexpr IntervalMethod interval_methods[] = {IntervalMethod::Linear, IntervalMethod::Profile,
                                                      IntervalMethod::Bootstrap};

/// "linear", "profile", "bootstrap": the words of experiment files and of fit.json.
std::string to_string(IntervalMethod method);

/// The start of a recording that is only forecast, to be found from its first frames once all else is known.
struct StartFit {
  std::size_t recording = 0;
  std::vector<Parameter> parameters;  ///< of its state
  Index frames = 0;
};

/// Where such a recording was found to start.
struct FoundStart {
  std::size_t recording = 0;
  sim::State state;
};

/// Everything that a fit needs to know.
struct FitProblem {
  std::vector<diff::Scenario> scenarios;  ///< one for each recording
  std::vector<Observation> observations;  ///< likewise
  std::vector<Parameter> parameters;
  /// By scenario: what the fit holds, and how well it is known; empty: exactly.
  std::vector<std::vector<ValueError>> value_errors;
  std::vector<StartFit> start_fits;  ///< of recordings that take no part in the fit
  RobustLoss loss;
  FitSolver solver = FitSolver::LevenbergMarquardt;
  MinimizerOptions minimizer;
  SearchStarts starts;
  std::vector<SearchStage> stages;  ///< passes before the last, which is the problem itself
  /// Without stages and starts, and where errors are computed and the solver is Levenberg–Marquardt: begin with
  /// horizons that follow from the sensitivity at the start (horizon_schedule.hpp).
  bool choose_stages = false;
  UncertaintyOptions uncertainty;
  /// Up to so many parameters standard errors are found from the whole Jacobian, beyond from random samples
  /// (many_errors.hpp). 0: they are left unknown (NaN).
  Index uncertainty_limit = 500;
  IntervalMethod interval = IntervalMethod::Profile;
  std::vector<std::string> exact_standard_errors;  ///< parameters, by name, whose errors shall not be samples' there
  std::vector<std::string> profile;  ///< parameters, by name, whose profile is wanted though linearity may hold
  double adjoint_budget_mb = 1024;
  /// File that keeps every evaluation of the search as it is made; one that an interrupted search of the same problem
  /// left is gone on with. Empty: none.
  std::string journal;
};

/// In units of a sigma that may be wrong: what residuals say it is.
struct ResidualScales {
  double data = 1;       ///< τ (`Posterior::data_scale`), by which data count against priors
  double threshold = 1;  ///< of a loss, the residuals' median scale: outliers are far away beside the others
};

/// One line of the table of results.
struct FittedParameter {
  std::string name, value, group, recording, unit;  ///< as in ParameterInfo
  bool is_nuisance = false;                         ///< likewise
  double initial = 0, estimate = 0;                 ///< physical values
  /// First order: |dp/dθ| times that of θ, of the kind whose interval is the widest. ∞: not identifiable; NaN: not
  /// computed.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  ErrorKind widest = ErrorKind::Formal;
  /// Likewise of each kind; NaN: not known.
  double formal_error = std::numeric_limits<double>::quiet_NaN();
  double robust_error = std::numeric_limits<double>::quiet_NaN();
  double jackknife_error = std::numeric_limits<double>::quiet_NaN();
  /// Image of θ's widest interval under the transform, unless found by a profile or resampling (`method`); never beyond
  /// a bound; on a bound one-sided (bounded_errors.hpp), and from 0 to `upper_limit` where there is one.
  double interval_lower = std::numeric_limits<double>::quiet_NaN();
  double interval_upper = std::numeric_limits<double>::quiet_NaN();
  /// Of a value that cannot be negative and is consistent with 0: the end of a one-sided interval (limits.hpp). NaN: it
  /// is not.
  double upper_limit = std::numeric_limits<double>::quiet_NaN();
  bool limit_holds = true;  ///< false: the model does not fit the recordings, and its limit is none of the true value
  IntervalMethod method = IntervalMethod::Linear;  ///< by which the interval was found
  /// How far Δχ² at the ends of the linearized interval is from what linearity says, as a part of it; NaN: not looked.
  double curvature = std::numeric_limits<double>::quiet_NaN();
  /// Whether its interval is closed, and of a value that keeps its sign within a factor 4 of the estimate on either
  /// side, or it has an upper limit. Not, too, if a direction that the data do not determine contains it.
  bool identifiable = true;
  std::string weak_direction;  ///< that contains it; empty if identifiable
  bool at_bound = false;       ///< the estimate lies on a bound
  /// How far half the step would move it, in standard errors, and where the step's error would be gone (half_step.hpp).
  /// NaN: not known.
  double half_step_shift = std::numeric_limits<double>::quiet_NaN();
  double extrapolated = std::numeric_limits<double>::quiet_NaN();
};

/// What may be wrong with a fit that does not fit, and what to do about it.
struct MisfitCause {
  std::string reason, remedy;
};

/// Another place where searches ended and that the recordings cannot tell from the estimates (minima.hpp).
struct AlternativeEstimate {
  Vector theta;
  std::vector<FittedParameter> parameters;  ///< with errors of their own, as the others
  std::string values;                       ///< "stiffness = 35.5 N/m": the first that were asked for
  double delta_chi_square = 0;              ///< how much higher its χ² is
  Index searches = 0;                       ///< of the last stage that ended there
};

/// The outcome of a fit: plain data, what fit.json holds.
struct FitReport {
  MinimizerStatus status = MinimizerStatus::Failed;
  std::string message;
  Vector theta;  ///< for ParameterMap::scatter, or rather fitted_scenarios (judged_starts.hpp)
  std::vector<FoundStart> started;
  ResidualScales scales;  ///< with which it was found
  Vector theta_error;     ///< formal standard errors of θ; empty: not computed
  Vector half_step;       ///< how far half the step would move θ (half_step.hpp); empty: not known
  /// Length of the residuals at half the step; NaN: not known.
  double half_step_length = std::numeric_limits<double>::quiet_NaN();
  std::vector<FittedParameter> parameters;
  double confidence = 0.95;     ///< of the parameters' intervals
  Eigen::MatrixXd correlation;  ///< P×P; NaN where unknown, 0×0 if not computed
  std::vector<WeakDirection> weak_directions;
  Vector singular_values;  ///< of the column-scaled Jacobian
  double condition = std::numeric_limits<double>::quiet_NaN();
  double residual_scale = std::numeric_limits<double>::quiet_NaN();  ///< s: 1 if sigma and model are right
  ErrorReport errors;                                                ///< what standard errors rest on
  long degrees_of_freedom = 0;
  std::vector<double> cost_history;
  std::vector<Vector> path;                                   ///< θ after each iteration (MinimizerReport::path)
  std::vector<MarkerTracks> tracks;                           ///< by recording; empty if the fit failed
  PositionErrors fit, validation_frames, validation_markers;  ///< all recordings together [m]
  std::vector<RecordingErrors> recordings;                    ///< by recording and part, parts without samples left out
  std::vector<RecordingWhiteness> whiteness;                  ///< of the fitted residuals, by recording
  FitQuality quality;                      ///< how far the model is from the recordings, beside their noise
  std::vector<MisfitCause> misfit_causes;  ///< where it does not fit: cheapest test first
  std::vector<FittedProfile> profiles;     ///< of parameters that were wanted, or are not linear enough
  std::vector<SensitivityGrowth> growth;   ///< of the fitted frames' sensitivities, by recording; empty: not known
  std::vector<StageReport> search;         ///< every minimum found, by stage
  std::vector<AlternativeEstimate> alternatives;  ///< estimates as good as these, the best first
  std::vector<std::string> search_summary;        ///< what the search was and found, a sentence each: no warnings
  EvaluationCounts evaluations;
  int failed_evaluations = 0;
  double seconds = 0;
  std::vector<std::string> notes;  ///< what the user should know, one sentence each
};

/// The parameters of a problem, resolved against its scenarios and the recording_frames of its observations. Throws
/// InvalidArgument as ParameterMap does.
ParameterMap make_parameter_map(const FitProblem& problem);

/// Throws InvalidArgument on a wrong problem, as `fit` does, without running anything.
void check(const FitProblem& problem);

/// Fits the parameters, then judges the result: errors of every kind from the Jacobian at the optimum
/// (parameter_errors.hpp, bounded_errors.hpp, limits.hpp), errors on fitted and forecast positions. All of this, and
/// what `show` sees, comes from one run of each recording after the search.
FitReport fit(const ResolvedFit& problem, const ShowStep& show = {});
/// The same of a problem that is resolved for it alone. Throws InvalidArgument on a wrong one, before the first run.
FitReport fit(const FitProblem& problem);

/// The same problem at half the time step: refit and compare, since an integrator's numerical damping is absorbed by
/// the estimates.
FitProblem with_halved_step(FitProblem problem);

}  // namespace pithball::optim
