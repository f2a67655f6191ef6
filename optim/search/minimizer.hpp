#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "optim/residual/residual.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::optim {

/// Bounds of θ; −∞ and ∞ if there are none. Empty vectors: no bounds at all.
struct Bounds {
  Vector lower = {};  ///< smallest θ, P
  Vector upper = {};  ///< largest θ, P
  /// Largest change of θ in one step, P: beyond it a model of the cost would say nothing. Used by `geodesic` only.
  Vector step = {};
};

/// Progress of a minimizer after an iteration (0: the start).
struct IterationReport {
  int iteration = 0;  ///< counted from 0, the start
  double cost = 0;    ///< L at the best point so far
  /// Whether the iteration took its step; false: it was rejected and the best point is unchanged.
  bool accepted = true;
  Vector theta;  ///< the best point so far
};

/// Settings of all minimizers; with the defaults they run until the cost no longer decreases significantly. Every
/// tolerance is dimensionless: the end of a search depends neither on the unit of the residuals nor on those of the
/// parameters.
struct MinimizerOptions {
  int max_iterations = 100;           ///< largest number of iterations, ≥ 0
  double function_tolerance = 1e-10;  ///< relative decrease of the cost that ends the search
  /// Largest |g_k| / (√(2L) |∂r/∂θ_k|) that ends the search: the cosine of the angle between the residual and a column
  /// of its Jacobian (Moré, Garbow & Hillstrom 1980, `gtol`). The cost could then decrease by about its square.
  double gradient_tolerance = 1e-10;
  /// A step shorter than this fraction of the distance from the start ends the search; both are measured by the change
  /// of the residual if its Jacobian is known, otherwise in θ. Least squares also end if a step that changes every θ_k
  /// by less than this fraction of itself does not lower the cost.
  double parameter_tolerance = 1e-9;
  /// Two steps in a row that lower |r|² by less than this part of |r|²/(R − P), the variance of one residual about its
  /// minimum, end a search by `geodesic`. The estimates are then nearer to the minimum than the root of it in standard
  /// errors, unless the search is slow. (Where residuals vanish at the minimum, the variance does too.)
  double noise_tolerance = 0.01;
};

/// How a minimizer is watched: a callback for its iterations, and a flag that ends it early.
struct MinimizerWatch {
  /// Called after each iteration; may be empty.
  std::function<void(const IterationReport&)> on_iteration = {};
  /// When it becomes true, the search ends after the current iteration and keeps the best point. Null: it never does.
  const std::atomic<bool>* stop = nullptr;

  bool is_stopped() const { return stop && *stop; }     ///< whether the search is to end
  MinimizerWatch silent() const { return {{}, stop}; }  ///< the same without the callback: for auxiliary searches
};

/// How a search ended.
enum class MinimizerStatus {
  Converged,      ///< a tolerance was reached
  MaxIterations,  ///< the limit was reached first
  Stalled,        ///< no lower cost was found, although no tolerance was met
  Stopped,        ///< on request
  Failed,         ///< the start could not be evaluated
};

/// All of them.
inline constexpr MinimizerStatus minimizer_statuses[] = {MinimizerStatus::Converged, MinimizerStatus::MaxIterations,
                                                         MinimizerStatus::Stalled, MinimizerStatus::Stopped,
                                                         MinimizerStatus::Failed};

/// "converged", "max_iterations", "stalled", "stopped", "failed": the words in fit.json.
std::string to_string(MinimizerStatus status);

/// The path of a search is only stored for at most this number of parameters.
inline constexpr Index most_path_parameters = 20;

/// Result of a search.
struct MinimizerReport {
  MinimizerStatus status = MinimizerStatus::Failed;        ///< Failed until a search has run
  std::string message;                                     ///< why it ended, in a sentence
  Vector theta;                                            ///< the best point found
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< L there
  std::vector<double> cost_history;                        ///< L after each iteration, from the start on
  /// θ after each iteration, as `cost_history`; empty if there are more than `most_path_parameters`.
  std::vector<Vector> path;
  int failed_evaluations = 0;  ///< points at which the function could not be evaluated

  /// Adds an iteration with the best point θ.
  void add_iteration(double cost_there, const Vector& theta_there);
};

/// Why a search ended at a minimum, in the common wording of all minimizers.
inline constexpr const char* gradient_message = "the gradient is below its tolerance";
/// The same for the cost.
inline constexpr const char* function_message = "the cost falls by less than its tolerance";
/// The same for the step.
inline constexpr const char* parameter_message = "the step is below its tolerance";

/// The same where the noise of the residuals hides what is left.
inline constexpr const char* noise_message = "the cost falls by less than the noise of the residuals shows";

/// Whether a step changes every θ_k by less than this fraction of itself: if such a step does not lower the cost, none
/// will.
bool is_negligible(const Vector& step, const Vector& theta, double part);

/// Throws InvalidArgument unless start and bounds have `parameters` entries, the start is finite and lies within the
/// bounds.
void check_start(const Vector& start, const Bounds& bounds, Index parameters);

/// What is minimized, from where and how; all outlive a search.
struct LeastSquaresSearch {
  const Residual& residual;         ///< r(θ)
  const Vector& start;              ///< where it begins, P
  const Bounds& bounds;             ///< of θ
  const MinimizerOptions& options;  ///< when it ends
  const MinimizerWatch& watch;      ///< callback and stop flag
};

/// Why a search ended.
struct Ending {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how it ended
  std::string message;                               ///< why, in a sentence
};

/// The end that a watch requested.
Ending stopped_on_request();

/// Evaluations that failed.
class FailedEvaluations {
 public:
  /// Whether a value exists; records why it does not.
  bool check(const Evaluation& evaluation, const Vector& value);
  void forget_last() { last_.clear(); }             ///< a new point is tried
  bool has_last() const { return !last_.empty(); }  ///< whether the last one failed
  Ending end(MinimizerStatus status) const;         ///< an end because of the last one
  int count() const { return count_; }              ///< number of all that failed

 private:
  std::string last_;
  int count_ = 0;
};

/// Tells the history and the user of an iteration, whose best point is that of the report.
void tell_iteration(const MinimizerWatch& watch, bool accepted, MinimizerReport& report);

using sim::Index;

/// One stage of a search before the last: a simplified problem that approaches the minimum cheaply. The last stage is
/// always the problem itself.
struct SearchStage {
  /// Only frames before this simulated time are used [s]: over a short horizon the cost has fewer minima.
  double horizon = std::numeric_limits<double>::infinity();
  std::optional<sim::IntegratorChoice> integrator = {};  ///< instead of the scenarios' own
  std::optional<double> time_step = {};                  ///< likewise [s]
  Index segments = 1;                             ///< more than 1: multiple shooting with this number of segments
  std::optional<int> max_iterations = {};         ///< 0: only evaluate the cost
  std::optional<double> function_tolerance = {};  ///< instead of the search's own
  Index keep = 1;                                 ///< number of best different points that continue
};

/// Starting points of a search.
struct SearchStarts {
  Index count = 1;         ///< 1: only the given start; more: further ones are drawn
  double factor = 3;       ///< > 1: from start/factor to start·factor, for parameters without two finite bounds
  std::uint64_t seed = 1;  ///< the same starts for the same seed, on every machine
  std::optional<Index> only = {};  ///< the one of them to search from, for searches that are shared among programs
};

}  // namespace pithball::optim
