#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// Bounds of θ; −∞ and ∞ if there are none. Empty vectors: no bounds at all.
struct Bounds {
  Vector lower = {};  ///< smallest θ, P
  Vector upper = {};  ///< largest θ, P
  /// Largest change of θ in one step, P: beyond it a model of the cost would say nothing. Heeded by `geodesic` alone.
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

/// How a minimizer is watched: who is told of its iterations, and what ends it early.
struct MinimizerWatch {
  /// Called after each iteration; empty: nobody is told.
  std::function<void(const IterationReport&)> on_iteration = {};
  /// When it becomes true, the search ends after the current iteration and keeps the best point. Null: it never does.
  const std::atomic<bool>* stop = nullptr;

  bool is_stopped() const { return stop && *stop; }     ///< whether the search is to end
  MinimizerWatch silent() const { return {{}, stop}; }  ///< the same, but nobody is told: for searches on the side
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

}  // namespace pithball::optim
