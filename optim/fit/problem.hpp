#pragma once
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/robust_loss.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/search/search_stage.hpp"
#include "optim/uncertainty/carried_error.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// The minimizer: Levenberg–Marquardt with tangents for few parameters, with geodesic acceleration for tens to
/// hundreds; for more, Gauss–Newton with products of the Jacobian and its transpose, or L-BFGS with the adjoint.
enum class FitSolver { LevenbergMarquardt, Geodesic, GaussNewton, Lbfgs, Automatic };

/// All of them but Automatic.
inline constexpr FitSolver fit_solvers[] = {FitSolver::LevenbergMarquardt, FitSolver::Geodesic, FitSolver::GaussNewton,
                                            FitSolver::Lbfgs};

/// "levenberg_marquardt", "geodesic", "gauss_newton", "lbfgs", "auto": the words in experiment files.
std::string to_string(FitSolver solver);

/// What Automatic stands for in a fit of so many parameters: Geodesic from 30 on, where a Jacobian costs many runs and
/// some values are hardly determined, as single stiffnesses; otherwise LevenbergMarquardt. Other solvers stay.
FitSolver chosen_solver(FitSolver wanted, Index parameters);

/// Whether a solver computes the whole Jacobian at every point of its search.
bool uses_jacobian(FitSolver solver);

/// How the interval of a value is computed.
enum class IntervalMethod {
  Linear,     ///< from the covariance of the linearized problem
  Profile,    ///< from the profile of χ², if the linearized interval does not hold (checked_intervals.hpp)
  Bootstrap,  ///< from fits to recordings with resampled residuals (bootstrap.hpp)
  Scan,       ///< from values tried where χ² is rough (roughness.hpp); cannot be requested
};

/// Those that can be requested.
inline constexpr IntervalMethod interval_methods[] = {IntervalMethod::Linear, IntervalMethod::Profile,
                                                      IntervalMethod::Bootstrap};

/// "linear", "profile", "bootstrap": the words in experiment files and in fit.json, which also has "scan".
std::string to_string(IntervalMethod method);

/// The initial state of a validation recording, estimated from its first frames after the fit.
struct StartFit {
  std::size_t recording = 0;          ///< index in FitProblem::scenarios
  std::vector<Parameter> parameters;  ///< parameters of its state
  Index frames = 0;                   ///< number of its first frames to which they are fitted
};

/// How the optimum is searched.
struct SearchStrategy {
  FitSolver solver = FitSolver::Automatic;  ///< the minimizer of every search; `ResolvedFit` chooses
  MinimizerOptions minimizer;               ///< of every search
  SearchStarts starts;                      ///< default: the given start only
  /// Unless by Levenberg–Marquardt: begin at the weak form's estimate if its cost is lower (weak_form_start.hpp).
  bool weak_form_start = true;
  std::vector<SearchStage> stages;  ///< stages before the last one, which is the problem itself
  /// Without stages and starts, with errors and whole Jacobians: start with horizons chosen from the sensitivity at
  /// the start (horizon_schedule.hpp).
  bool choose_stages = false;
  /// Without starts, with errors and whole Jacobians: where the fit is off or aliases are possible, search from
  /// further points, at no more than the cost of the first search (further_starts.hpp).
  bool further_starts = false;
};

/// What is computed of the uncertainty of the estimates, and how.
struct UncertaintyAnalysis {
  UncertaintyOptions options;  ///< of the standard errors and intervals
  /// Up to this number of parameters, standard errors are computed from the whole Jacobian, beyond it from random
  /// samples (many_errors.hpp). 0: not computed (NaN).
  Index full_limit = 500;
  IntervalMethod interval = IntervalMethod::Profile;  ///< where it is needed and can be computed
  std::vector<std::string> exact_standard_errors;     ///< parameters whose errors are computed exactly beyond the limit
  std::vector<std::string> profiles;  ///< parameters whose profile is requested, whether or not the problem is linear
};

/// Definition of a fit.
struct FitProblem {
  std::vector<diff::Scenario> scenarios;  ///< one for each recording
  std::vector<Observation> observations;  ///< likewise
  std::vector<Parameter> parameters;      ///< declarations of what is fitted; empty: a prediction by the model as given
  /// By scenario: held values and their errors; empty: known exactly.
  std::vector<std::vector<ValueError>> value_errors;
  std::vector<StartFit> start_fits;  ///< for recordings that are not fitted
  RobustLoss loss;                   ///< of all samples; default: none
  SearchStrategy search;             ///< how the optimum is searched
  UncertaintyAnalysis uncertainty;   ///< what is computed of the uncertainty of the estimates
  double adjoint_budget_mb = 1024;   ///< memory for recorded forward runs, if derivatives are by the adjoint [MB]
};

/// The parameters of a problem, resolved against its scenarios and the recording_frames of its observations. Throws
/// InvalidArgument as ParameterMap does.
ParameterMap make_parameter_map(const FitProblem& problem);

/// The same problem at half the time step: refit and compare, since the estimates absorb an integrator's numerical
/// damping.
FitProblem with_halved_step(FitProblem problem);

/// The problem of a stage: with its integrator and time step, and frames beyond its horizon not fitted.
FitProblem at_stage(FitProblem problem, const SearchStage& stage);

}  // namespace pithball::optim
