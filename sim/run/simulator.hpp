#pragma once
#include <functional>
#include <string>

#include "sim/integrator/integrator_choice.hpp"
#include "sim/population/population.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::sim {

/// Length of a run and its output.
struct RunOptions {
  IntegratorChoice integrator = default_integrator;  ///< by name, or with settings
  double time_step = 0.01;                           ///< h [s]
  Index steps = 0;     ///< number of the last step; a continued run counts those before it
  Index every = 1;     ///< steps between stored states (the last one is always stored)
  StageOptions stage;  ///< settings of implicit stages; ignored by explicit integrators
};

/// Observer of a run, called after each step (and for step 0) with the state; `kept` is its energy row if the step is
/// stored, else null. The velocities of a stored state are at its own time; those of another state may be at the
/// integrator's time (half a step earlier in leapfrog). Returning false stops the run there, marked incomplete.
using RunObserver =
    std::function<bool(Index step, const State& state, const StepRecord& record, const EnergyRow* kept)>;

/// Energy by kind [J], with that of compliant constraints in the elastic one; losses are 0.
EnergyRow energy_of(const Model& model, const State& state);

/// The energy rows from which an interrupted run continues.
struct EarlierRows {
  EnergyRow first,  ///< of step 0
      last;         ///< of the state from which it continues
};

/// How a run ended.
struct RunEnd {
  StepStatus status = StepStatus::Ok;  ///< of the last step
  bool complete = true;       ///< false if the observer stopped it; a failed run counts as complete up to its failure
  std::string linear_solver;  ///< choice of `auto`; empty for explicit integrators
};

/// Runs `options.steps` steps from the initial state and passes them to the observer, without storing states. Ends
/// early, with a status, if a step fails. Throws InvalidArgument before step 0 if the model cannot start there, later
/// if it cannot continue with a population's present particles. With `goes_on_from`, it continues an interrupted
/// run at one of its states. A population changes the particles after each step; the state has those in its roster,
/// `model` is the model of those at the start.
RunEnd run(const Model& model, const State& initial, const RunOptions& options, const RunObserver& observe,
           const EarlierRows* goes_on_from = nullptr, Population* population = nullptr);

/// The same, with the whole trajectory stored in memory.
Trajectory simulate(const Model& model, const State& initial, const RunOptions& options,
                    const RunObserver& observe = {}, const EarlierRows* goes_on_from = nullptr,
                    Population* population = nullptr);

}  // namespace pithball::sim
