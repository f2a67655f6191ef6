#pragma once
#include <string>

#include "diff/rollout/rollout.hpp"

namespace pithball::app {

/// What the steps of a run did that they should not.
enum class StepTrouble { Diverged, NotConverged, GainedEnergy, LostEnergy };

/// What to change in the experiment, in one clause: a smaller step, and those other integrators that may help here and
/// can integrate this model. A run never changes its integrator by itself.
std::string step_remedy(StepTrouble trouble, const diff::Scenario& scenario);

}  // namespace pithball::app
