#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optim/fit/error_report.hpp"
#include "optim/fit/fit_profiles.hpp"
#include "optim/fit/fitted_parameter.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/uncertainty/held_effect.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "sim/core/doubt.hpp"

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
/// What fit.json has of the search.
void fields(FieldVisitor& v, FitSearch& search);
/// An entry of `alternatives` in fit.json.
void fields(FieldVisitor& v, AlternativeEstimate& other);
/// What fit.json has of the estimates.
void fields(FieldVisitor& v, Estimates& estimates);

}  // namespace pithball::optim
