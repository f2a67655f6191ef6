#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"

namespace pithball::datasets {

/// What a column of a table is taken for.
struct ColumnUse {
  std::string name;      ///< as in the header
  std::string meaning;   ///< "x of 'tip' in mm", "times in ms", "accelerations"; "not understood"
  bool is_used = false;  ///< read, as a coordinate, a clock or the names of markers
};

/// How a table is read: the meaning of its columns, and the settings that say the same in words.
struct TableLayout {
  std::vector<ColumnUse> columns;                ///< in the order of the header
  std::string time,                              ///< column of times
      frame,                                     ///< column of frame numbers
      marker;                                    ///< names of columns, "#3" where a name is no name of one; empty: none
  std::vector<std::vector<std::string>> points;  ///< columns of each point, `none` for what was not recorded
};

/// The layout by which `read_table` or `read_long_table` reads this file. Throws InvalidArgument as they do.
TableLayout lay_out(const CaptureSpec& spec);

}  // namespace pithball::datasets
