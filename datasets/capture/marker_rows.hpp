#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/capture/marker_file.hpp"
#include "sim/core/types.hpp"

namespace pithball::datasets {

/// The cells of a line without surrounding spaces; views into it.
std::vector<std::string_view> split_cells(std::string_view line, char separator);

/// The number in a cell; NaN if it is empty, nan or NA. Throws InvalidArgument at `where` on anything else, including
/// infinities.
double cell_number(std::string_view cell, const std::string& where);

/// The same for a frame number, which must be an integer.
double whole_number(std::string_view cell, const std::string& where);

/// Where the cells of a row lie, counted from 0.
struct RowLayout {
  char separator = '\t';                  ///< of the cells
  std::size_t width = 0;                  ///< number of cells of a whole row
  std::optional<std::size_t> frame;       ///< cell of the frame number; empty: there is none
  std::optional<std::size_t> second;      ///< cell of one more number, usually the time; empty: there is none
  std::vector<std::size_t> first_of_xyz;  ///< indices of the M cells of x, each followed by y and z
};

/// The layout of a frame number, one more column, and x, y, z of `markers` markers.
RowLayout triples_after_two(char separator, sim::Index markers);

/// Rows of frame number, one more column, and x, y, z of M markers, as motion capture programs write them.
struct MarkerRows {
  std::vector<double> frames;          ///< whole numbers; empty without their cell
  std::vector<double> second;          ///< NaN where the cell is empty; empty without their cell
  std::vector<sim::Points> positions;  ///< 3×M in the file's unit; NaN where a cell is empty or says nan or NA
  std::vector<std::string> notes;      ///< what is assumed about the rows, for `MarkerFile::notes`
};

/// Reads lines first … end−1. A row that ends early, after a marker, has lost its trailing separators: the markers
/// after that are missing in it. Cells outside the layout are not read, and those beyond `width` must be empty. Throws
/// InvalidArgument at path:line(:cell) on a row of another length, a frame that is not an integer, or a cell that is
/// not a finite number.
MarkerRows read_marker_rows(const std::vector<std::string_view>& lines, std::size_t first, std::size_t end,
                            const RowLayout& layout, const std::string& path);

/// Number of markers in a header row of x, y, z cells from the third cell on; throws InvalidArgument at path:line if
/// they are not complete triples or there are none.
sim::Index count_triples(std::string_view line, char separator, const std::string& where);

/// The names in every third cell from the third on, M of them; missing ones are empty.
std::vector<std::string> names_of_triples(std::string_view line, char separator, sim::Index markers);

/// Frames per second as a header states them: key and value [1/s], 0 if it does not.
using StatedRates = std::vector<std::pair<std::string, double>>;

/// Makes a column of times those of the file, if every row has one. Throws InvalidArgument if times and frame numbers
/// (without them, rows) agree with none of the stated rates: one of them is wrong.
void take_times(std::vector<double> time, const StatedRates& rates, MarkerFile& file);

/// Adds a note if a header announces another number of frames than the file has; rows are counted.
void note_on_length(const std::string& key, Index announced, MarkerFile& file);

}  // namespace pithball::datasets
