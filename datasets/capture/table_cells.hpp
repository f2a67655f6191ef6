#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/text/csv_table.hpp"

namespace pithball::datasets {

/// Source of a coordinate: a column, or a constant in file units; NaN: not recorded.
struct Source {
  std::optional<Index> column;  ///< number of the column, from 0; empty: the constant
  double constant = 0;          ///< used if there is no column
  /// False: the coordinate is NaN in every frame.
  bool recorded() const { return column || std::isfinite(constant); }
};

/// The source of a coordinate that was not recorded.
inline Source not_recorded() { return {{}, std::numeric_limits<double>::quiet_NaN()}; }

/// Parses a word of `ColumnSpec::points`: a column, a number, or `none`. Throws InvalidArgument about `what` on
/// anything else.
Source find_source(const CsvTable& table, const std::string& word, const std::string& what);

/// Which of x, y, z in the spec's axes are constants.
std::array<bool, 3> constant_axes(const std::array<Source, 3>& coordinates, const sim::Mat3& matrix);

/// The rows of the segment, in file order. Throws InvalidArgument if there are none or if, with times computed
/// from row numbers, they are interrupted.
std::vector<Index> find_rows(const CsvTable& table, const RowSpec& spec, bool time_is_counted);

/// The number in a cell; throws InvalidArgument about `what` if it is missing.
double present_number(const CsvTable& table, Index row, Index column, const char* what);

/// The same for a frame number, which must be an integer.
double frame_number(const CsvTable& table, Index row, Index column);

}  // namespace pithball::datasets
