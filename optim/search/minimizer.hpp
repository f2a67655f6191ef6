#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// Bounds of θ; −∞ and ∞ where there are none. Empty vectors: no bounds at all.
struct Bounds {
  Vector lower, upper;
};

/// What a minimizer tells after each iteration (0: the start).
struct IterationReport {
  int iteration = 0;
  double cost = 0;  ///< L at the best point so far
  bool accepted = true;
  Vector theta;
};

/// Settings that all minimizers share; the defaults run until the cost no longer falls in a way that matters. Every
/// tolerance is a pure number: neither the unit of the residuals (meters or nanometers, over whatever sigma) nor those
/// of the parameters change where a search ends.
struct MinimizerOptions {
  int max_iterations = 100;
  double function_tolerance = 1e-10;  ///< relative decrease of the cost that ends the search
  /// Largest |g_k| / (√(2L) |∂r/∂θ_k|) that ends the search: the cosine of the angle between the residual and a column
  /// of its Jacobian (Moré, Garbow & Hillstrom 1980, `gtol`). The cost could then fall by about the square of it.
  double gradient_tolerance = 1e-10;
  /// A step that is shorter than this part of the way from the start ends the search; both are measured by what they
  /// change in the residual where its Jacobian is known, otherwise in θ. So does, where least squares know no lower
  /// cost, one that changes every θ_k by less than this part of itself.
  double parameter_tolerance = 1e-9;
  /// Called after each iteration; for progress and journals.
  std::function<void(const IterationReport&)> on_iteration;
  /// When it becomes true the search ends after the iteration under way, keeping the best point.
  const std::atomic<bool>* stop = nullptr;
};

enum class MinimizerStatus {
  Converged,      ///< a tolerance was reached
  MaxIterations,  ///< the limit was reached first
  Stalled,        ///< no lower cost could be found along the way, though no tolerance says that this is a minimum
  Stopped,        ///< on request
  Failed,         ///< the start could not be evaluated
};

/// "converged", "max_iterations", "stalled", "stopped", "failed": the words of fit.json.
std::string to_string(MinimizerStatus status);

/// The way of a search is kept of no more parameters than a reader can follow.
inline constexpr Index most_path_parameters = 20;

/// How a search ended.
struct MinimizerReport {
  MinimizerStatus status = MinimizerStatus::Failed;
  std::string message;                                     ///< why it ended, in a sentence
  Vector theta;                                            ///< the best point found
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< L there
  std::vector<double> cost_history;                        ///< L after each iteration, from the start on
  /// θ after each iteration, as `cost_history`; empty where there are more than `most_path_parameters`.
  std::vector<Vector> path;
  int failed_evaluations = 0;  ///< points at which the function could not be evaluated

  /// Adds an iteration, whose best point so far is θ.
  void add_iteration(double cost_there, const Vector& theta_there);
};

/// Why a search ended at a minimum, in the words of all minimizers.
inline constexpr const char* gradient_message = "the gradient is below its tolerance";
inline constexpr const char* function_message = "the cost falls by less than its tolerance";
inline constexpr const char* parameter_message = "the step is below its tolerance";

/// Whether a step changes every θ_k by less than this part of itself: where such a step does not lower the cost, none
/// will.
bool is_negligible(const Vector& step, const Vector& theta, double part);

/// Throws InvalidArgument unless start and bounds have `parameters` entries, the start is finite and lies within the
/// bounds.
void check_start(const Vector& start, const Bounds& bounds, Index parameters);

}  // namespace pithball::optim
