#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the markers of a C3D file (The C3D File Format User Guide, 2008): floats or scaled integers, written by Intel,
/// DEC or MIPS processors. A sample whose residual is negative is missing. Names come from POINT:LABELS, LABELS2, …;
/// unit, rate and scale from POINT:UNITS, RATE and SCALE (without them, rate and scale from the header). The number of
/// frames is that of TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD, else POINT:LONG_FRAMES, else the header's, which
/// cannot count beyond 65535. Analog channels are passed over.
///
/// Throws InvalidArgument on another format or processor, on counts that contradict each other, and on frames or
/// parameters that lie beyond the end of the file; before any memory is taken for them.
MarkerFile read_c3d(const std::string& path);

}  // namespace pithball::datasets
