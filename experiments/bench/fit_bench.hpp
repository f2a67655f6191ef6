#pragma once
#include "app/spec/experiment.hpp"
#include "optim/fit/report.hpp"

namespace pithball::experiments {

/// What is fitted, and how the data are made.
struct FitBenchOptions {
  sim::Index frames = 100;  ///< one at the end of each step
  double spread = 0.3;      ///< standard deviation of the logarithms of the true stiffnesses
  double noise = 0;         ///< standard deviation of each recorded coordinate [m]
  optim::FitSolver solver = optim::FitSolver::GaussNewton;
};

/// What a fit of every spring's stiffness reached and cost.
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
/// vertex a velocity out of smooth waves in all directions (fixed seed), records all vertices by velocity_verlet at an
/// eighth of the step, and fits the stiffnesses, each from the scenario's one value, with the scenario's own
/// integrator.
FitBenchFigures measure_fit(const app::Experiment& experiment, const FitBenchOptions& options,
                            const optim::MinimizerOptions& minimizer, const optim::MinimizerWatch& watch);

}  // namespace pithball::experiments
