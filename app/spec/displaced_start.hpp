#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Sets the initial state of a recording with `reference: rest` from displacements and velocities estimated from its
/// first frames and those before them. Particles without a marker of their own follow the shape of least energy through
/// the markers (sim/run/least_energy.hpp), for the values in the file. The errors of the first frames and of the rest
/// are held with it (`KnownValues::errors`).
void start_displaced(const Node& recording_node, Recording& recording);

}  // namespace pithball::app
