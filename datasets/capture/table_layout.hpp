#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/table_clock.hpp"

namespace pithball::datasets {

/// Whether a header is that of a long table: of TrackMate, or with a column that only markers can have (particle,
/// track, …), one of frames or times, and the axes of one point.
bool is_long_header(const std::vector<std::string>& header);

/// The columns of a long table.
struct LongTableColumns {
  Index marker = 0;                   ///< column of marker names, from 0
  std::array<Source, 3> coordinates;  ///< of x, y, z
  Index first_row = 0;                ///< below titles and units
  std::string unit_name;              ///< of lengths, as written in the file; empty: none
  bool z_is_guessed = false;          ///< the column of z was found automatically: it may hold a constant
  std::optional<Index> time;          ///< of TrackMate, whose unit is in a title; otherwise TableClock finds it
  double seconds = 1;                 ///< per unit of that column

  /// The columns of coordinates.
  std::vector<Index> used() const;
};

/// Throws InvalidArgument if markers or coordinates cannot be found.
LongTableColumns find_long_table_columns(const CsvTable& table, const TableColumns& columns, const CaptureSpec& spec);

/// The column that names the markers of a table with several rows of one frame: readings of the clock repeat, but not
/// together with this column's value, or tracks with names that only markers have follow each other. A column named
/// like a column of markers comes first. Empty if the rows are frames. Throws InvalidArgument if several columns
/// qualify, or if markers are named but frames are not.
std::optional<Index> find_marker_column(const CsvTable& table, const TableColumns& columns, const TableClock& clock,
                                        const CaptureSpec& spec);

/// How a column of a table is understood.
struct ColumnUse {
  std::string name;      ///< as in the header
  std::string meaning;   ///< "x of 'tip' in mm", "times in ms", "accelerations"; "not understood"
  bool is_used = false;  ///< read, as a coordinate, a clock or the names of markers
};

/// How a table is read: the meaning of its columns, and the settings that say the same in words.
struct TableLayout {
  std::vector<ColumnUse> columns;  ///< in the order of the header
  std::string time,                ///< column of times
      frame,                       ///< column of frame numbers
      marker;  ///< column of markers. All are names of columns, or "#3" where the name does not identify one; empty:
               ///< none
  std::vector<std::vector<std::string>> points;  ///< columns of each point, `none` for what was not recorded
};

/// The layout by which `read_table` or `read_long_table` reads this file. Throws InvalidArgument as they do.
TableLayout lay_out(const CaptureSpec& spec);

}  // namespace pithball::datasets
