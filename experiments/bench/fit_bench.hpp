#pragma once
#include <functional>
#include <limits>

#include "app/experiment/experiment.hpp"
#include "diff/rollout/rollout.hpp"
#include "optim/fit/report.hpp"

namespace pithball::experiments {

using diff::Index;

/// Time and work of one pass over all steps.
struct PassFigures {
  double seconds = 0;  ///< of the fastest repeat
  diff::RolloutCost cost;
};

/// What a gradient costs, pass by pass.
struct GradientFigures {
  PassFigures forward;    ///< a plain run
  PassFigures recording;  ///< the same run with tapes
  PassFigures adjoint;    ///< the reverse pass, for all physical values at once
  Index steps = 0, parameters = 0;
  /// |adjoint − tangent| / adjoint of the derivative along one direction through all physical values; NaN: not known.
  double disagreement = std::numeric_limits<double>::quiet_NaN();
  sim::StepStatus status = sim::StepStatus::Ok;
  /// Recording and adjoint together, in plain forward runs.
  double ratio() const { return (recording.seconds + adjoint.seconds) / forward.seconds; }
};

/// Runs each pass `repeats` times after one warm-up; the loss is ½ Σ |x|² at the last step. Then compares the gradient
/// with a tangent run. Without `gradient`, only the plain run. `progress` is called between the passes, never during
/// one, with the share of them that is done.
GradientFigures measure(const diff::Scenario& scenario, double budget_mb, int repeats, bool gradient,
                        const std::function<void(double)>& progress = {});

/// What is fitted, and how the data are made.
struct FitBenchOptions {
  sim::Index frames = 100;  ///< one at the end of each step
  double spread = 0.3;      ///< standard deviation of the logarithms of the true stiffnesses
  double noise = 0;         ///< standard deviation of each recorded coordinate [m]
  std::string solver = "gauss_newton";
};

/// Result and cost of a fit of every spring's stiffness.
struct FitBenchFigures {
  optim::FitReport report;
  sim::Index parameters = 0, residuals = 0;
  double start_median_error = 0;  ///< of the one value that all springs start from
  double median_error = 0, percentile_95_error = 0, largest_error = 0;  ///< |k/k_true − 1|
  double forward_seconds = 0;                                           ///< of a plain run
  double gradient_seconds = 0;                                          ///< of a recorded run and one adjoint
  double forward_runs() const { return report.seconds / forward_seconds; }
  double gradient_forward_runs() const { return gradient_seconds / forward_seconds; }
};

/// Gives every spring that moves a stiffness of its own about the scenario's (lognormal, fixed seed) and every free
/// vertex a velocity composed of smooth waves in all directions (fixed seed), records all vertices by velocity_verlet
/// at an eighth of the step, and fits the stiffnesses, each from the scenario's one value, with the scenario's own
/// integrator.
FitBenchFigures measure_fit(const app::Experiment& experiment, const FitBenchOptions& options,
                            const optim::MinimizerOptions& minimizer, const optim::MinimizerWatch& watch);

}  // namespace pithball::experiments
