#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the positions of an H5MD trajectory as a recording: every particle is a marker, named "0", "1", …. Positions
/// without a unit are in meters, times without one in seconds. Throws InvalidArgument as `read_h5md` does, on a file
/// with several groups of particles of which the spec names none, and on an unknown unit of time.
MarkerFile read_h5md_capture(const CaptureSpec& spec);

}  // namespace pithball::datasets
