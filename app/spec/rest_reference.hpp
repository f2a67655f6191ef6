#pragma once
#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::app {

/// Makes an observation compare displacements from the model's equilibrium with displacements from the recording's rest
/// (3×M [m]), once the initial state is set as displacements from the equilibrium. Throws InvalidArgument at the
/// recording's node if the rest lacks a marker that is used.
void refer_to_rest(const Node& recording_node, const Points& rest, diff::Scenario& scenario, optim::Observation& seen);

}  // namespace pithball::app
