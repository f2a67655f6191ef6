#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// A point that the header of a table names by its columns; a coordinate without a column is not recorded.
struct HeaderPoint {
  std::string name;
  std::array<std::optional<sim::Index>, 3> columns;
};

/// The points of a header, in its order: the axis first, as in x1, x_m1 or a bare x (named "0"), or the axis last
/// behind one of "_. -", as in m1_x; in either case of letters. Each point has the same two or three axes. Empty if no
/// point has two axes. Throws InvalidArgument placed at `where` if points are named in both ways, axes differ, or a
/// column is there twice: then the header does not tell which columns are meant.
std::vector<HeaderPoint> find_header_points(const std::vector<std::string>& names, const std::string& where);

}  // namespace pithball::datasets
