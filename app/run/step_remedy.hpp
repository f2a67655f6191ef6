#pragma once
#include <optional>
#include <string>

#include "diff/rollout/rollout.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {

/// Failure of the steps of a run.
enum class StepTrouble { Diverged, NotConverged, GainedEnergy, LostEnergy };

/// What to change in the experiment, in one clause: a smaller time step, or another integrator that may help and
/// supports this model; after a close approach also a softening. A run never changes its integrator by itself.
std::string step_remedy(StepTrouble trouble, const diff::Scenario& scenario,
                        const std::optional<sim::CloseApproach>& approach = {});

}  // namespace pithball::app
