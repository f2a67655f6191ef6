#pragma once
#include <functional>
#include <string>

#include "sim/integrator/integrator_choice.hpp"
#include "sim/population/population.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::sim {

/// How far a run goes and what it keeps.
struct RunOptions {
  IntegratorChoice integrator = default_integrator;
  double time_step = 0.01;  ///< h [s]
  Index steps = 0;
  Index every = 1;  ///< keep every so many steps (the last one always)
  StageOptions stage;
};

/// Looks at a run while it goes on: called after each step (and for step 0) with the state; `kept` is its energy row
/// where the step is kept, else null. The velocities of a snapshot are of its own time, those of another may be what
/// the integrator carries (of half a step back, in leapfrog). Returning false stops the run there, marked incomplete.
using RunObserver =
    std::function<bool(Index step, const State& state, const StepRecord& record, const EnergyRow* kept)>;

/// Energy by kind [J], that of compliant constraints with the elastic one; losses are left 0.
EnergyRow energy_of(const Model& model, const State& state);

/// How a run ended.
struct RunEnd {
  StepStatus status = StepStatus::Ok;  ///< of the last step made
  bool complete = true;                ///< false if the observer stopped it; a failed run is complete up to its failure
  std::string linear_solver;           ///< what `auto` chose; empty for explicit integrators
};

/// Runs `options.steps` steps from the initial state and shows them to the observer; keeps nothing itself, so that its
/// memory does not grow with the steps. Ends early, with a status, where a step fails. Throws InvalidArgument before
/// step 0 if the model cannot start there, later if it cannot go on with a population's present particles. With
/// `goes_on_from`, the energy row of the initial state, it continues an interrupted run. A population changes the
/// particles after each step; the state is of those in its roster, `model` the model of them at the start.
RunEnd run(const Model& model, const State& initial, const RunOptions& options, const RunObserver& observe,
           const EnergyRow* goes_on_from = nullptr, Population* population = nullptr);

/// The same, and keeps all of it in memory.
Trajectory simulate(const Model& model, const State& initial, const RunOptions& options,
                    const RunObserver& observe = {}, const EnergyRow* goes_on_from = nullptr,
                    Population* population = nullptr);

}  // namespace pithball::sim
