#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the table of a point mass that Tracker (physlets.org/tracker) exports, with tabs, commas, semicolons or
/// blanks, decimal points or commas:
///
///     mass_A
///     t,x,y
///     0.000,0.512,-0.101
///
/// Other columns are passed over. Several masses stand below one another, each with its name and header, or side by
/// side, names in the first line, columns t, x, y, (t,) x, y in the second; masses that share a time share a frame.
/// Empty cells are missing samples. Positions are in the unit that the video was calibrated in: meters, unless the spec
/// gives a scale. Throws InvalidArgument at file:line on anything else, and on two rows of one mass at one time.
MarkerFile read_tracker(const std::string& path);

/// Whether a file that begins like this is such a table: a line of names, and below it t, x and y.
bool is_tracker(std::string_view head);

}  // namespace pithball::datasets
