#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// The cells of a line without surrounding spaces; views into it.
std::vector<std::string_view> split_cells(std::string_view line, char separator);

/// The number in a cell; NaN if it is empty, nan or NA. Throws InvalidArgument at `where` on anything else, including
/// infinities.
double cell_number(std::string_view cell, const std::string& where);

/// The same for a frame number, which must be an integer.
double whole_number(std::string_view cell, const std::string& where);

/// Rows of a frame number, one more column, and x, y, z of M markers, as motion capture programs write them.
struct MarkerRows {
  std::vector<double> frames;          ///< whole numbers
  std::vector<double> second;          ///< NaN where the cell is empty
  std::vector<sim::Points> positions;  ///< 3×M in the file's unit; NaN where a cell is empty or says nan or NA
};

/// Reads lines first … end−1. Cells beyond the last marker must be empty. Throws InvalidArgument at path:line(:cell) on
/// a row of another length, a frame that is not an integer, or a cell that is not a finite number.
MarkerRows read_marker_rows(const std::vector<std::string_view>& lines, std::size_t first, std::size_t end,
                            char separator, sim::Index markers, const std::string& path);

/// Number of markers in a header row of x, y, z cells from the third cell on; throws InvalidArgument at path:line if
/// they are not complete triples or there are none.
sim::Index count_triples(std::string_view line, char separator, const std::string& where);

/// The names in every third cell from the third on, M of them; missing ones are empty.
std::vector<std::string> names_of_triples(std::string_view line, char separator, sim::Index markers);

}  // namespace pithball::datasets
