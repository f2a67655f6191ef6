#pragma once
#include "datasets/text/csv_table.hpp"

namespace pithball::datasets {

/// Throws InvalidArgument at the header if one of the columns x, y, z of a marker (x1 or m1_x) is missing, instead of
/// ignoring its other columns. The message names the marker, the column, and a similar name. If no marker has all
/// three, they are planar, and only similar names are reported.
void reject_incomplete_markers(const CsvTable& table);

}  // namespace pithball::datasets
