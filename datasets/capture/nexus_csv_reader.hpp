#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the block "Trajectories" of a table exported by Vicon Nexus, separated by commas, semicolons or tabs; other
/// blocks (Devices, Model Outputs), each after an empty line, are skipped:
///
///     Trajectories
///     100
///     ,,subject:C7,,,subject:T10,,
///     Frame,Sub Frame,X,Y,Z,X,Y,Z
///     ,,mm,mm,mm,mm,mm,mm
///     1,0,44.1628,…
///
/// Frames are at (frame − first frame)/rate. Empty cells are missing samples. Throws InvalidArgument at file:line on
/// anything else, and on units that differ.
MarkerFile read_nexus_csv(const std::string& path);

/// Whether a file that begins like this is such a table: a line consisting of Trajectories, Devices or Model Outputs,
/// followed by a rate.
bool is_nexus_csv(std::string_view head);

}  // namespace pithball::datasets
