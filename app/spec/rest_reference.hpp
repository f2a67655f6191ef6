#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Reads `reference:` of a recording, whose initial state is known: `absolute`, or `rest` for displacements from the
/// model's own equilibrium against displacements from the recording's own rest (`rest_frames`). Complains where there
/// is no such rest, or the start is not one from the equilibrium.
void read_reference(Node& recording_node, Recording& recording);

/// Once the start is set, as displacements from the equilibrium: tells the observation what is compared. Nothing for an
/// absolute reference.
void refer_to_rest(const Node& recording_node, Recording& recording);

/// Starts a recording that refers to rest from displacements and velocities that its first frames tell, with those
/// right before them in the file. Particles that no marker of its own shows take the shape of least energy through the
/// markers (sim/run/least_energy.hpp), at the file's values. The error of this start is not carried into the estimates.
void start_displaced(const Node& recording_node, Recording& recording);

}  // namespace pithball::app
