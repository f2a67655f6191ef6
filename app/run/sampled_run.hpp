#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "app/backend/backend.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/force/decorated_force.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// A run at one instant.
struct Sample {
  double t = 0;             ///< [s]
  Points x;                 ///< positions [m]
  sim::EnergyRow energy{};  ///< energies and losses [J]; an exact run conserves their sum
};

/// Cost of a sampled run, and how it ended.
struct SampledRun {
  diff::RolloutStatus status;             ///< Ok: it reached the last instant
  diff::RolloutCost cost;                 ///< of the steps
  sim::ForceCount coulomb;                ///< Coulomb evaluations of the steps, counted in the force itself
  double seconds = 0;                     ///< of the steps alone, without energies
  std::optional<double> compile_seconds;  ///< time of their compilation, if a backend compiles
};

/// Called for each instant in order; instant 0 is the start of the run.
using SampleVisitor = std::function<void(std::size_t k, const Sample& sample)>;

/// Called after each step; the run continues.
using StepVisitor = std::function<void()>;

/// Number of steps of `time_step` [s] from 0 to `time` [s], up to rounding.
Index steps_to(double time, double time_step);

/// Runs the scenario with another integrator and time step up to the last of `instants` (ascending, [s] since the
/// start), and visits its state at the start and at each instant that it reaches. An instant between two steps is
/// interpolated: positions by the cubic Hermite polynomial of x and v, velocities by its derivative, losses linearly.
SampledRun sample_run(const diff::Scenario& scenario, const sim::IntegratorChoice& integrator, double time_step,
                      const std::vector<double>& instants, const SampleVisitor& visit, const StepVisitor& step);

/// The same with a backend's velocity Verlet and our own energies; each instant is a step of the run. Throws
/// std::runtime_error if it is interrupted.
SampledRun sample_run(const diff::Scenario& scenario, Backend& backend, double time_step,
                      const std::vector<double>& instants, const SampleVisitor& visit, const StepVisitor& step);

}  // namespace pithball::app
