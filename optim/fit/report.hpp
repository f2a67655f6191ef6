#pragma once
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/uncertainty/held_error.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/profile.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "sim/core/doubt.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Samples that a robust loss treats as outliers, in one recording (`Downweighted`).
struct OutlierReport {
  std::string recording;     ///< as in Scenario::name
  Index samples = 0,         ///< number with a weight below one half
      of = 0;                ///< number of all its fitted samples
  std::string worst_marker;  ///< name of the marker with most outliers
  Index worst_samples = 0;   ///< number of outliers of that marker
  double first = 0,          ///< recorded time of the first of them [s]
      last = 0;              ///< of the last one [s]
};

/// The recording without which the estimates change most.
struct MostInfluential {
  std::string recording;     ///< empty: fewer than four recordings
  double cook_distance = 0;  ///< its Cook's distance
  std::string moved;         ///< the parameter that changes most without it
  double moved_by = 0;       ///< its change, in formal standard errors
};

/// Width of a smooth prior that was given none (fit_prior.hpp).
struct PriorWidth {
  std::string parameter;  ///< its declaration
  double standard_deviation =
      0;                  ///< of the differences of neighbors, in the unit of the values, or of their logarithms
  bool relative = false;  ///< whether of logarithms
};

/// How the priors affect the estimates.
struct PriorEffect {
  /// γ: number of values determined by the data; priors determine the rest. NaN: unknown.
  double determined_by_data = std::numeric_limits<double>::quiet_NaN();
  /// Parameters to whose information, (C (J_dᵀJ_d/s²))_kk of 1, the data contribute less than a tenth.
  std::vector<std::string> by_priors_alone;
  std::vector<PriorWidth> widths;  ///< widths that the fit found
};

/// How the standard errors were computed, for all parameters together.
struct ErrorReport {
  Index frames = 0;  ///< F, of all recordings; 0: errors were not computed
  double autocorrelation = std::numeric_limits<double>::quiet_NaN();  ///< ρ from frame to frame
  double mean_ratio = std::numeric_limits<double>::quiet_NaN();  ///< robust errors relative to formal ones, on average
  bool by_mean_ratio = false;                                    ///< robust errors are the formal ones times it
  PriorEffect priors;                                            ///< what priors do to the estimates
  MostInfluential most_influential;                              ///< of the recordings
  double loss_threshold = std::numeric_limits<double>::quiet_NaN();  ///< in units of sigma; NaN: no loss
  /// By recording; recordings without outliers are omitted; empty without a loss.
  std::vector<OutlierReport> outliers;
  Index samples = 0;   ///< number of samples for the errors (sampled_errors.hpp); 0: from the whole Jacobian
  Index products = 0;  ///< number of products with the Jacobian, and equally many with its transpose
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< likewise
  std::vector<std::string> exact;  ///< parameters whose errors are computed exactly nevertheless

  /// Remarks for the reader of the intervals, one line each.
  std::vector<std::string> sentences() const;
};

/// Report on a fit's errors, without outliers; `recordings`: the names of all scenarios.
ErrorReport report_errors(const FitRows& fit, const AllErrors& errors, const std::vector<std::string>& names,
                          const std::vector<std::string>& recordings);

/// An entry of `uncertainty.prior_widths` in fit.json.
void fields(FieldVisitor& v, PriorWidth& width);
/// An entry of `uncertainty.outliers` in fit.json.
void fields(FieldVisitor& v, OutlierReport& one);
/// `uncertainty` of fit.json.
void fields(FieldVisitor& v, ErrorReport& report);

/// What a parameter applies to, as in ParameterInfo.
struct ParameterScope {
  std::string group,         ///< likewise
      recording;             ///< likewise
  bool is_nuisance = false;  ///< likewise
};

/// Standard errors of a physical value by kind; NaN: unknown.
struct StandardErrors {
  double formal = std::numeric_limits<double>::quiet_NaN();  ///< for independent residuals
  /// For independent or autoregressive frames.
  double robust = std::numeric_limits<double>::quiet_NaN();
  /// For independent recordings, at least four.
  double jackknife = std::numeric_limits<double>::quiet_NaN();
  /// Of recordings whose values scatter about a common mean; NaN also if they agree.
  double random_effects = std::numeric_limits<double>::quiet_NaN();
  ErrorKind widest = ErrorKind::Formal;  ///< the kind with the widest interval, from which `standard_error` is
};

/// The confidence interval of a physical value.
struct ConfidenceInterval {
  /// Image of θ's widest interval under the transform, or from a profile or resampling (`method`); never beyond a
  /// bound. On a bound one-sided (bounded_errors.hpp), and from 0 to `upper_limit` if there is one.
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();  ///< the other end; ∞: open
  IntervalMethod method = IntervalMethod::Linear;           ///< how it was computed
  /// For a non-negative value consistent with 0: the end of a one-sided interval (checked_intervals.hpp). NaN: none.
  double upper_limit = std::numeric_limits<double>::quiet_NaN();
  /// False: the model does not fit the recordings, so the limit does not apply to the true value.
  bool limit_holds = true;
  /// Relative deviation of Δχ² at the ends of the linearized interval from its linear value; NaN: not checked.
  double curvature = std::numeric_limits<double>::quiet_NaN();
  bool at_bound = false;  ///< the estimate lies on a bound
};

/// Effect of half the time step on an estimate (half_step.hpp); NaN: unknown.
struct StepEffect {
  double shift = std::numeric_limits<double>::quiet_NaN();  ///< change of the estimate, in standard errors
  /// Physical value without the integration error.
  double extrapolated = std::numeric_limits<double>::quiet_NaN();
};

/// One line of the table of results.
struct FittedParameter {
  std::string name,      ///< as in ParameterInfo
      value,             ///< likewise
      unit;              ///< likewise
  ParameterScope scope;  ///< likewise
  double initial = 0,    ///< physical value at the start of the search
      estimate = 0;      ///< physical value at its end
  /// To first order: |dp/dθ| times that of θ, of the kind with the widest interval. ∞: not identifiable; NaN: not
  /// computed.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  StandardErrors errors;        ///< of each kind
  ConfidenceInterval interval;  ///< with the confidence level of the fit
  /// Whether its interval is finite and, for a value that keeps its sign, within a factor of 4 of the estimate on
  /// either side, or it has an upper limit. False if an undetermined direction contains it.
  bool identifiable = true;
  std::string weak_direction;  ///< the undetermined direction that contains it; empty if identifiable
  StepEffect half_step;        ///< effect of halving the time step
};

/// An entry of `parameters` in fit.json.
void fields(FieldVisitor& v, FittedParameter& p);

/// The profile of one parameter of a fit (profile.hpp), in physical values, as in fit.json.
struct FittedProfile {
  std::string name,            ///< as in ParameterInfo
      unit;                    ///< likewise
  std::vector<double> values;  ///< values at which the parameter was held, ascending, including the estimate
  std::vector<double> rises;   ///< Δχ² of the best fit there
  double threshold = 0;        ///< Δχ² at the ends of the interval
  double interval_lower = 0,   ///< for an open end: the most distant value that was tried; NaN: not computed
      interval_upper = 0;      ///< likewise
  std::string open_below,      ///< why an end is open; empty: it is closed or was not computed
      open_above;              ///< likewise

  /// Notes for the user, one sentence each: open ends, a better fit found on the way.
  std::vector<std::string> warnings() const;
};

/// The numbers of the parameters in `wanted`, each given by its own name or by that of its value, which selects all of
/// that value. Throws InvalidArgument for any other name; `key` names the list.
std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key = "profiles");

/// A profile of a parameter of the fit.
FittedProfile make_fitted_profile(const ParameterInfo& info, const Profile& profile, double threshold);

/// An entry of `profile` in fit.json; open ends are read as unknown.
void fields(FieldVisitor& v, FittedProfile& profile);

/// The numbers of a fit that its information criteria use; they compare fits to the same coordinates.
struct ComparedData {
  double coordinates = 0;    ///< n
  double effective = 0;      ///< n_eff, number of independent coordinates with the same information
  bool known_sigma = false;  ///< sigma is known; false: only up to a factor

  /// k: the fitted values, and the unknown scale of sigma.
  double values(double parameters) const { return parameters + (known_sigma ? 0 : 1); }
};

/// Smaller is better; only differences have a meaning.
struct InformationCriteria {
  double aicc = std::numeric_limits<double>::quiet_NaN();  ///< NaN: n_eff ≤ k + 1
  double bic = std::numeric_limits<double>::quiet_NaN();   ///< Bayesian
};

/// Number of independent coordinates with as much information on the fitted values as n correlated ones,
///    n_eff = n / max(1, q²/s²),   q² = tr(H⁻¹B)/P,
/// where B is the covariance of the scores and H the curvature of the cost: q is `mean_ratio` of the errors, by which
/// errors that allow for correlation in time and between markers exceed formal ones (Takeuchi 1976; the divisor ĉ of
/// QAIC, Burnham & Anderson 2002, section 2.5). s² = χ²/ν where formal errors are those of a given sigma, else 1. If
/// all noise is common to M markers and the values move them alike, n_eff = n/M; with a first-order autoregression,
/// n_eff = n (1 − ρ)/(1 + ρ), which is also used if q is unknown. n_eff is at most n: noise that seems to cancel is not
/// trusted.
double count_independent(double coordinates, const ErrorReport& errors, double squared_scale);

/// Criteria of one fit by its χ²,
///    AICc = D + 2k + 2k(k + 1)/(n_eff − k − 1),   BIC = D + k ln n_eff   (Burnham & Anderson 2002, chapter 2),
/// with D = n_eff ln(χ²/n), or D = χ² n_eff/n for a known sigma.
InformationCriteria compute_criteria(const ComparedData& data, double chi_square, double parameters);

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

/// End of the search from one start in one stage.
struct FitMinimum {
  Index start = 0;                                         ///< index of the start; 0: the given one
  MinimizerStatus status = MinimizerStatus::Failed;        ///< how the search ended
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< L at its end
  std::size_t iterations = 0;                              ///< number of iterations
  std::vector<std::pair<std::string, double>> parameters;  ///< by name; empty if there was only one start
  /// In the last stage: 0 at the estimates, k at their k-th alternative (minima.hpp); −1: at a worse place, not at a
  /// minimum, or not examined.
  Index place = -1;
};

/// Result of a stage of the search; costs of different stages are not comparable.
struct FitStage {
  double horizon = std::numeric_limits<double>::infinity();     ///< recorded time up to which frames count [s]
  std::string integrator;                                       ///< empty: the scenarios' own
  double time_step = std::numeric_limits<double>::quiet_NaN();  ///< [s]; NaN: the scenarios' own
  Index segments = 1;                                           ///< more than 1: multiple shooting
  std::vector<FitMinimum> minima;                               ///< one for each start, lowest cost first
};

/// How the search went, and every minimum that it found.
struct FitSearch {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how the best search of the last stage ended
  std::string message;                               ///< why it ended, in a sentence
  std::vector<double> cost_history;                  ///< L after each iteration of the last stage, from its start on
  std::vector<Vector> path;          ///< physical values after each iteration; empty: too many (MinimizerReport::path)
  std::vector<FitStage> stages;      ///< in the order in which they ran
  std::vector<std::string> summary;  ///< how the search went and what it found, one sentence each: no warnings
  EvaluationCounts evaluations;      ///< of all searches and of what was computed after them
  int failed_evaluations = 0;        ///< points of the search at which a simulation failed
  std::vector<sim::Doubt> gradients = {};  ///< why its derivatives are not those of the motion. Not in fit.json

  /// Number of searches of the last stage.
  std::size_t searches() const { return stages.empty() ? 0 : stages.back().minima.size(); }
};

/// Another minimum that the recordings do not distinguish from the estimates (minima.hpp).
struct AlternativeEstimate {
  Vector theta;                             ///< P
  std::vector<FittedParameter> parameters;  ///< with their own errors, like the estimates
  OtherMinimum minimum;                     ///< where it is, and how many searches ended there
};

/// The table of results, and what is known of all values together.
struct Estimates {
  double confidence = 0.95;                    ///< confidence level of the intervals
  std::vector<FittedParameter> parameters;     ///< P, in the order of θ
  Eigen::MatrixXd correlation;                 ///< P×P; NaN where unknown, 0×0 if not computed
  std::vector<WeakDirection> weak_directions;  ///< directions that the data do not determine
  /// Largest / smallest singular value of the scaled Jacobian; ∞: a singular Jacobian; NaN: not computed.
  double condition = std::numeric_limits<double>::quiet_NaN();
  double residual_scale = std::numeric_limits<double>::quiet_NaN();  ///< s: 1 if sigma and model are right
  long degrees_of_freedom = 0;                                       ///< R − number of values that the data determine
  ErrorReport uncertainty;                                           ///< how standard errors were computed
  std::vector<FittedProfile> profiles;            ///< requested ones, and those of values that are not linear enough
  std::vector<AlternativeEstimate> alternatives;  ///< alternative estimates, best first
  HeldBudget held;                                ///< what an error of held values would do to the estimates
  std::optional<sim::Doubt> step;                 ///< that the time step moves them beyond their intervals
};

/// The result of a fit.
struct FitReport {
  RunVerdict verdict;      ///< whether the estimates can be used, and why not
  Estimates estimates;     ///< the table of results
  GoodnessOfFit goodness;  ///< how the model compares with the recordings
  FitSearch search;        ///< how the search went
  Vector theta;            ///< argument of ParameterMap::scatter or, preferably, fitted_scenarios (judged_starts.hpp)
  Vector theta_error;      ///< formal standard errors of θ; empty: not computed
  Vector half_step;        ///< change of θ at half the time step (half_step.hpp); empty: unknown
  std::vector<FoundStart> started;   ///< by recording with a StartFit; empty: none
  ResidualScales scales;             ///< scales of the residuals in the search
  std::vector<MarkerTracks> tracks;  ///< by recording; empty if the fit failed
  double seconds = 0;                ///< duration of the fit, by the wall clock [s]
  std::vector<std::string> notes;    ///< notes for the user, one sentence each
};

/// The verdict on a report; `halved`: the fit at half the time step, null if it was not requested.
RunVerdict judge(const FitReport& report, const HalvedStep* halved = nullptr);

/// An entry of `search[].minima` in fit.json.
void fields(FieldVisitor& v, FitMinimum& minimum);
/// An entry of `search` in fit.json.
void fields(FieldVisitor& v, FitStage& stage);
/// The part of fit.json about the search.
void fields(FieldVisitor& v, FitSearch& search);
/// An entry of `alternatives` in fit.json.
void fields(FieldVisitor& v, AlternativeEstimate& other);
/// The part of fit.json about the estimates.
void fields(FieldVisitor& v, Estimates& estimates);

}  // namespace pithball::optim
