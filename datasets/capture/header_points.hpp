#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// A point given by column names in the header of a table; a coordinate without a column was not recorded.
struct HeaderPoint {
  std::string name;                                  ///< the column names without their axis: "1", "m1"
  std::array<std::optional<sim::Index>, 3> columns;  ///< of x, y, z, from 0; empty: not recorded
};

/// The points of a header, in its order: with the axis first, as in x1, x_m1 or a bare x (named "0"), or last after one
/// of "_. -", as in m1_x; upper or lower case. Each point has the same two or three axes. Empty if no point has two
/// axes. Throws InvalidArgument at `where` if both styles occur, axes differ, or a column name is repeated, since the
/// columns are then ambiguous.
std::vector<HeaderPoint> find_header_points(const std::vector<std::string>& names, const std::string& where);

}  // namespace pithball::datasets
