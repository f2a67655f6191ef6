#pragma once
#include "app/spec/recording.hpp"
#include "app/yaml/node.hpp"

namespace pithball::app {

/// Standard errors of the recording's rest, 3×M [m], from the scatter of its frames; where that is unknown (a single
/// frame) the sigma of the recording. To be called once the noise is known.
Points rest_errors(const Recording& recording);

/// Adds the error of the rest of a recording that begins at the model's equilibrium to those that its fit holds.
void hold_rest_error(Recording& recording);

/// Makes an observation compare displacements from the model's equilibrium with displacements from the recording's rest
/// (3×M [m]), once the initial state is set as displacements from the equilibrium. Throws InvalidArgument at the
/// recording's node if the rest lacks a marker that is used.
void refer_to_rest(const Node& recording_node, const Points& rest, diff::Scenario& scenario, optim::Observation& seen);

}  // namespace pithball::app
