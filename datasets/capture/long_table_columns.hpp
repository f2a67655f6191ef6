#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/table_cells.hpp"

namespace pithball::datasets {

/// The names that a program gives to the columns of a long table, in lower case.
struct LongTableNames {
  std::string marker, frame, time, x, y, z;
  bool has_titles = false;  ///< up to three lines of titles and units follow the header
};

/// Those of the program that wrote a header like this, by x and y, and by the column of markers if that is to be told;
/// null if none did.
const LongTableNames* find_long_table_names(const std::vector<std::string>& header, bool tell_marker);

/// The column of this name, whatever the case of its letters; empty: none.
std::optional<Index> find_named_column(const std::vector<std::string>& header, const std::string& name);

/// What stands where in a long table.
struct LongTableColumns {
  Index marker = 0;
  Index clock = 0;     ///< the column of frames if the spec gives a rate, else of times
  double seconds = 1;  ///< per unit of that column
  std::array<Source, 3> coordinates;
  Index first_row = 0;        ///< below titles and units
  std::string unit_name;      ///< of lengths, as the file tells it; empty: it does not
  bool z_is_guessed = false;  ///< nobody named the column of z: it may hold a constant
};

/// Throws InvalidArgument about what is not known: markers, times, coordinates.
LongTableColumns find_long_table_columns(const CsvTable& table, const CaptureSpec& spec);

}  // namespace pithball::datasets
