#pragma once
#include "datasets/text/csv_table.hpp"

namespace pithball::datasets {

/// Throws InvalidArgument at the header where one of the columns x, y, z of a marker (x1 or m1_x) is missing, so that
/// its other columns are not passed over in silence: it names the marker, the column, and one that is probably
/// misspelled. Where no marker has all three, they are planar, and only what is misspelled is complained about.
void reject_incomplete_markers(const CsvTable& table);

}  // namespace pithball::datasets
