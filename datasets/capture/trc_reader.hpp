#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a TRC file (Motion Analysis), separated by tabs or, from some programs, by commas:
///
///     PathFileType  4  (X/Y/Z)  name
///     DataRate  CameraRate  NumFrames  NumMarkers  Units  …
///     100       100         93         51          mm     …
///     Frame#    Time        C7  (two empty cells)  T10  …
///                           X1  Y1  Z1             X2  …
///     1         0           733.7  …
///
/// The number of frames is the number of rows, because writers do not update NumFrames when they cut a trial. Time is
/// the column Time. Empty and nan cells are missing samples. Throws InvalidArgument at file:line on anything else.
MarkerFile read_trc(const std::string& path);

}  // namespace pithball::datasets
