#pragma once
#include <functional>
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/residual.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/search/minimizer_registry.hpp"
#include "optim/uncertainty/held_error.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// How the interval of a value is computed.
enum class IntervalMethod {
  Linear,     ///< from the covariance of the linearized problem
  Profile,    ///< from the profile of χ², if the linearized interval does not hold (checked_intervals.hpp)
  Bootstrap,  ///< from fits to recordings with resampled residuals (scaled_fit.hpp)
  Scan,       ///< from values tried where χ² is rough (fit_optimum.hpp); cannot be requested
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
  /// The minimizer of every search: a name of `minimizers()`, or `auto`, for which `ResolvedFit` chooses.
  std::string solver = automatic_minimizer;
  MinimizerOptions minimizer;  ///< of every search
  SearchStarts starts;         ///< default: the given start only
  /// For all minimizers but Levenberg–Marquardt: begin at the weak form's estimate if its cost is lower (search.cpp).
  bool weak_form_start = true;
  std::vector<SearchStage> stages;  ///< stages before the last one, which is the problem itself
  /// If no stages or starts are given, and errors are computed from whole Jacobians: begin with horizons chosen from
  /// the sensitivity at the start (horizon_schedule.hpp).
  bool choose_stages = false;
  /// If no starts are given, and errors are computed from whole Jacobians: where the fit is off or aliases are
  /// possible, search from further points, at no more than the cost of the first search (further_starts.hpp).
  bool further_starts = false;
};

/// What is computed about the uncertainty of the estimates, and how.
struct UncertaintyAnalysis {
  UncertaintyOptions options;  ///< of the standard errors and intervals
  /// Up to this number of parameters, standard errors are computed from the whole Jacobian, beyond it from random
  /// samples (bounded_errors.hpp). 0: not computed (NaN).
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
  RobustLoss loss;                   ///< for all samples; default: none
  SearchStrategy search;             ///< how the optimum is searched
  UncertaintyAnalysis uncertainty;   ///< what is computed about the uncertainty of the estimates
  double adjoint_budget_mb = 1024;   ///< memory for recorded forward runs, if derivatives are by the adjoint [MB]
  /// The models of the scenarios with forces and values of strength 0 that they may lack; null: none are known.
  std::function<std::vector<sim::Model>(const FitProblem&)> wider_models = {};
};

/// The parameters of a problem, resolved against its scenarios and the recording_frames of its observations. Throws
/// InvalidArgument as ParameterMap does.
ParameterMap make_parameter_map(const FitProblem& problem);

/// The same problem at half the time step: refit and compare, since the estimates absorb an integrator's numerical
/// damping.
FitProblem with_halved_step(FitProblem problem);

/// The problem of a stage: with its integrator and time step, and frames beyond its horizon not fitted.
FitProblem at_stage(FitProblem problem, const SearchStage& stage);

struct FitProblem;

/// The function minimized by a fit: the residuals of all recordings with their loss, followed by the priors.
class FitResidual {
 public:
  /// Throws InvalidArgument on an invalid problem, without running anything.
  explicit FitResidual(const FitProblem& problem);
  /// The same for resolved parameters.
  FitResidual(const FitProblem& problem, ParameterMap map);
  FitResidual(const FitResidual&) = delete;
  FitResidual& operator=(const FitResidual&) = delete;

  /// Parameters of θ, resolved against the problem's scenarios.
  const ParameterMap& map() const { return trajectories_.map(); }
  /// Runs so far, for residuals and derivatives.
  const EvaluationCounts& counts() const { return trajectories_.counts(); }
  /// Whether a parameter of the problem has a prior, requested or of an initial state.
  bool has_priors() const { return priors_.rows() > 0; }
  const TrajectoryResidual& trajectories() const { return trajectories_; }  ///< without loss and priors
  /// Data with their loss, then priors: the rows whose squares the fit minimizes.
  const Residual& all() const { return all_; }
  const PriorResidual& priors() const { return priors_; }  ///< alone, in units of their own standard deviations
  /// Known values of `trajectories()` at θ, r (R) and J (R×P), so that `all()` need not compute them again.
  void set_known_point(Vector theta, Vector r, Eigen::MatrixXd jacobian);
  /// Before a search by Levenberg–Marquardt: see `KnownResidual::compute_derivatives_ahead`.
  void compute_derivatives_ahead() { known_.compute_derivatives_ahead(); }

 private:
  TrajectoryResidual trajectories_;
  KnownResidual known_;
  RobustResidual data_;
  PriorResidual priors_;
  StackedResidual all_;
};

/// A fit with everything derived from its problem before a run: parameters resolved against the scenarios,
/// measurements, residual, priors. Created once, which also checks the problem, never changed, and shared by search,
/// uncertainty, profiles, predictions, files and pages.
class ResolvedFit {
 public:
  /// Throws InvalidArgument on an invalid problem, without running anything.
  explicit ResolvedFit(FitProblem problem);
  ResolvedFit(const ResolvedFit&) = delete;
  ResolvedFit& operator=(const ResolvedFit&) = delete;

  /// The problem, as given, with its solver chosen.
  const FitProblem& problem() const { return problem_; }
  /// Its parameters: the entries of θ.
  const ParameterMap& map() const { return residual_.map(); }
  /// The function that the fit minimizes.
  const FitResidual& residual() const { return residual_; }

  /// Whether standard errors come from the whole Jacobian: not of more parameters than
  /// `UncertaintyAnalysis::full_limit`.
  bool has_full_errors() const { return map().size() <= problem_.uncertainty.full_limit; }

  /// The same parameters for a problem with the same models, for example at half the time step or in a stage.
  ParameterMap map_of(const FitProblem& other) const { return map().with_scenarios(other.scenarios); }

 private:
  FitProblem problem_;
  FitResidual residual_;
};

/// Throws InvalidArgument on an invalid problem, as `fit` does, without running anything.
void check(const FitProblem& problem);

}  // namespace pithball::optim
