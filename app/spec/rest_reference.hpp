#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Reads `reference:` of a recording whose kind of initial state is known: `absolute`, or `rest` to compare
/// displacements from the model's equilibrium with displacements from the recording's rest (`rest_frames`). Throws
/// InvalidArgument if there is no such rest, or the initial state is not an equilibrium.
void read_reference(Node& recording_node, Recording& recording);

/// After the initial state is set, as displacements from the equilibrium: configures the observation. Does nothing for
/// an absolute reference.
void refer_to_rest(const Node& recording_node, Recording& recording);

/// Sets the initial state of a recording with `reference: rest` from displacements and velocities estimated from its
/// first frames and those before them. Particles without a marker of their own follow the shape of least energy through
/// the markers (sim/run/least_energy.hpp), for the values in the file. The error of this initial state is not
/// propagated to the estimates.
void start_displaced(const Node& recording_node, Recording& recording);

}  // namespace pithball::app
