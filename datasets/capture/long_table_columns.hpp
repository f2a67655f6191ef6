#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/table_cells.hpp"

namespace pithball::datasets {

/// The names that a program gives to the columns of a long table, in lower case.
struct LongTableNames {
  std::string marker,       ///< column of marker names
      frame,                ///< column of frame numbers
      time,                 ///< column of times
      x,                    ///< column of x
      y,                    ///< column of y
      z;                    ///< column of z, which a planar recording may lack
  bool has_titles = false;  ///< up to three lines of titles and units follow the header
};

/// The names of the program that wrote this header, recognized by x and y, and by the column of markers if that must be
/// found; null if unknown.
const LongTableNames* find_long_table_names(const std::vector<std::string>& header, bool tell_marker);

/// The column with this name, upper or lower case; empty: none.
std::optional<Index> find_named_column(const std::vector<std::string>& header, const std::string& name);

/// The columns of a long table.
struct LongTableColumns {
  Index marker = 0;                   ///< column of marker names, from 0
  Index clock = 0;                    ///< the column of frames if the spec gives a rate, else of times
  double seconds = 1;                 ///< per unit of that column
  std::array<Source, 3> coordinates;  ///< of x, y, z
  Index first_row = 0;                ///< below titles and units
  std::string unit_name;              ///< of lengths, as written in the file; empty: none
  bool z_is_guessed = false;          ///< the column of z was found automatically: it may hold a constant
};

/// Throws InvalidArgument if markers, times or coordinates cannot be found.
LongTableColumns find_long_table_columns(const CsvTable& table, const CaptureSpec& spec);

}  // namespace pithball::datasets
