#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "app/backend/backend.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/force/counted_force.hpp"

namespace pithball::app {

/// A run at one instant.
struct Sample {
  double t = 0;        ///< [s]
  Points x;            ///< positions [m]
  double energy = 0;   ///< total + losses [J]: what a perfect run keeps
  double kinetic = 0;  ///< [J]
};

/// What a sampled run took, and how it ended.
struct SampledRun {
  diff::RolloutStatus status;
  diff::RolloutCost cost;
  sim::ForceCount coulomb;  ///< evaluations of Coulomb sums that the steps asked for, counted in the force itself
  double seconds = 0;       ///< of the steps alone, without energies
  std::optional<double> compile_seconds;  ///< of compiling them, where another program does so
};

/// Called for each instant in order; the first, number 0, is where the run starts.
using SampleVisitor = std::function<void(std::size_t k, const Sample& sample)>;

/// Called after each step; the run goes on.
using StepVisitor = std::function<void()>;

/// Number of steps of `time_step` [s] that reach `time` [s] from 0, rounding aside.
Index steps_to(double time, double time_step);

/// Runs the scenario by another integrator and step up to the last of `instants` (ascending, [s] since the start), and
/// visits its state at the start and at each of them that it reaches. An instant that is no step of the run is
/// interpolated from both neighbors: positions by the cubic Hermite polynomial of x and v, velocities by its
/// derivative, losses linearly.
SampledRun sample_run(const diff::Scenario& scenario, const sim::IntegratorChoice& integrator, double time_step,
                      const std::vector<double>& instants, const SampleVisitor& visit, const StepVisitor& step);

/// The same by another program's velocity Verlet, with energies of our own; each instant is a step of the run. Throws
/// std::runtime_error if it is interrupted.
SampledRun sample_run(const diff::Scenario& scenario, Backend& backend, double time_step,
                      const std::vector<double>& instants, const SampleVisitor& visit, const StepVisitor& step);

}  // namespace pithball::app
