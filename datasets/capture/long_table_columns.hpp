#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/table_cells.hpp"
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

/// The column that names the markers of a table with several rows of one frame: readings of the clock repeat, and with
/// this column's value no longer do, or tracks with names that only markers have follow each other. A column that is
/// called so comes first. Empty if the rows are frames. Throws InvalidArgument if several columns may be it, or if
/// markers are named but frames are not.
std::optional<Index> find_marker_column(const CsvTable& table, const TableColumns& columns, const TableClock& clock,
                                        const CaptureSpec& spec);

}  // namespace pithball::datasets
