#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a table of point masses exported by Tracker (physlets.org/tracker), separated by tabs, commas, semicolons or
/// spaces, with decimal points or commas:
///
///     mass_A
///     t,x,y
///     0.000,0.512,-0.101
///
/// Tracker writes t_{1}, x_{1}, … where several masses share a name. Other columns are ignored. Several masses are
/// below one another, each with its name and header, or side by side, with names in the first line and columns t, x, y,
/// (t,) x, y in the second; rows with equal times share a frame. Empty cells are missing samples. Positions are in the
/// unit of the video's calibration: meters, unless the spec gives a scale. With a rate, rows are frames: times, which
/// spreadsheets round, only show gaps. Throws InvalidArgument at file:line on anything else, on two rows of one mass at
/// one time, and on times that contradict the rate.
MarkerFile read_tracker(const CaptureSpec& spec);

/// Whether a file that begins like this is such a table: a line of names, followed by t, x and y.
bool is_tracker(std::string_view head);

}  // namespace pithball::datasets
