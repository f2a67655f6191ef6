#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Sets the initial state of a recording with `reference: rest` from displacements and velocities estimated from its
/// first frames and those before them. Particles without a marker of their own follow the shape of least energy through
/// the markers (sim/run/least_energy.hpp), for the values in the file. The error of this initial state is not
/// propagated to the estimates.
void start_displaced(const Node& recording_node, Recording& recording);

}  // namespace pithball::app
