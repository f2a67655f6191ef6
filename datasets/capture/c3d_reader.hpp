#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the markers of a C3D file (The C3D File Format User Guide, 2008): floats or scaled integers, written by Intel,
/// DEC or MIPS processors. A sample with a negative residual is missing. Names come from POINT:LABELS, LABELS2, …;
/// unit, rate and scale from POINT:UNITS, RATE and SCALE (rate and scale otherwise from the header). The number of
/// frames comes from TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD, else POINT:LONG_FRAMES, else the header, which
/// cannot hold more than 65535. Analog channels are skipped.
///
/// Throws InvalidArgument on another format or processor, on contradictory counts, and on frames or parameters beyond
/// the end of the file, before memory is allocated for them.
MarkerFile read_c3d(const std::string& path);

}  // namespace pithball::datasets
