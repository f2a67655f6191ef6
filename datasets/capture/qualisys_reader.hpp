#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the 3D data of a TSV file that Qualisys Track Manager exports, separated by tabs (or as a spreadsheet saved
/// it):
///
///     NO_OF_FRAMES   400
///     NO_OF_MARKERS  2
///     FREQUENCY      100
///     DATA_INCLUDED  3D
///     MARKER_NAMES   A    B
///     Frame  Time  A X  A Y  A Z  B X  …       (this line and the columns Frame and Time may be absent)
///     1      0     819.834  277.770  …
///
/// Positions are in mm. Times are those of the column Time; without it, frames are at (frame − first frame)/FREQUENCY.
/// Rows are counted. Throws InvalidArgument at file:line on anything else: 2D and 6D data, names, columns or times that
/// contradict the header.
MarkerFile read_qualisys(const std::string& path);

/// Whether a file that begins like this is an export of Qualisys Track Manager, of 3D data or others.
bool is_qualisys(std::string_view head);

}  // namespace pithball::datasets
