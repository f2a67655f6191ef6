#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the positions of an H5MD trajectory as a recording: every particle is a marker, named by its number "0", "1",
/// …. A file that tells no unit is taken to be in meters; times are in the unit that it tells, or in seconds. Throws
/// InvalidArgument as `read_h5md` does and on a unit of time that is not known.
MarkerFile read_h5md_capture(const std::string& path);

}  // namespace pithball::datasets
