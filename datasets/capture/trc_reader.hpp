#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a TRC file (Motion Analysis), separated by tabs or, as some programs write it, by commas:
///
///     PathFileType  4  (X/Y/Z)  name
///     DataRate  CameraRate  NumFrames  NumMarkers  Units  …
///     100       100         93         51          mm     …
///     Frame#    Time        C7  (two empty cells)  T10  …
///                           X1  Y1  Z1             X2  …
///     1         0           733.7  …
///
/// The rows are counted, because writers leave NumFrames as it was before they cut a trial. Time is the column Time.
/// Empty and nan cells are missing samples. Throws InvalidArgument at file:line on anything else.
MarkerFile read_trc(const std::string& path);

}  // namespace pithball::datasets
