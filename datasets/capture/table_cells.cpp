#include "datasets/capture/table_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "datasets/capture/frame_tools.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

bool same_value(std::string_view cell, std::string_view value) {
  const auto a = parse_number(cell), b = parse_number(trim(value));
  return a && b ? *a == *b : cell == trim(value);
}

}  // namespace

Source find_source(const CsvTable& table, const std::string& word, const std::string& what) {
  if (trim(word) == "none" && !table.has_column(word)) return {{}, std::numeric_limits<double>::quiet_NaN()};
  const auto constant = parse_number(word);
  if (constant && std::isfinite(*constant) && !table.has_column(word)) return {{}, *constant};
  return {table.find_column(word, what), 0};
}

std::array<bool, 3> constant_axes(const std::array<Source, 3>& coordinates, const sim::Mat3& matrix) {
  std::array<bool, 3> constant{};
  for (std::size_t a = 0; a < 3; ++a) {
    const Source& source = coordinates[axis_of(matrix, static_cast<Index>(a))];
    constant[a] = !source.column && source.recorded();
  }
  return constant;
}

std::vector<Index> find_rows(const CsvTable& table, const RowSpec& spec, bool time_is_counted) {
  std::vector<std::pair<Index, std::string>> conditions;
  for (const auto& [column, value] : spec.segment) conditions.emplace_back(table.find_column(column, "rows"), value);
  std::vector<Index> rows;
  for (Index row = 0; row < table.rows(); ++row) {
    const bool belongs = std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
      return same_value(table.cell(row, condition.first).text, condition.second);
    });
    if (!belongs) continue;
    if (time_is_counted && !rows.empty() && rows.back() != row - 1)
      throw InvalidArgument(
          {table.where(row), "rows", "must be one contiguous run of rows when time is computed from the rate",
           "a second run of rows", "name a time or frame column, or select the rows by another column"});
    rows.push_back(row);
  }
  if (!rows.empty()) return rows;
  std::string known;
  std::set<std::string_view> seen;
  for (Index row = 0; row < table.rows() && seen.size() < 20; ++row)
    if (seen.insert(table.cell(row, conditions[0].first).text).second)
      known.append(known.empty() ? "" : ", ").append(table.cell(row, conditions[0].first).text);
  throw InvalidArgument({table.path(), "rows." + spec.segment.begin()->first,
                         "must select rows; this column holds " + known, "'" + spec.segment.begin()->second + "'",
                         "choose one of these values"});
}

double present_number(const CsvTable& table, Index row, Index column, const char* what) {
  const double value = table.number(row, column);
  if (std::isnan(value))
    throw InvalidArgument(
        {table.where(row, column), what, "must not be missing", "an empty cell", "correct the cell or remove the row"});
  return value;
}

double frame_number(const CsvTable& table, Index row, Index column) {
  const double frame = present_number(table, row, column, "frame");
  constexpr double most = 9007199254740992;  // 2⁵³: whole numbers beyond it have no neighbors among doubles
  if (frame != std::floor(frame) || std::abs(frame) > most)
    throw InvalidArgument({table.where(row, column), "frame", "must be a whole number",
                           std::string(table.cell(row, column).text), "name a column of frame numbers, or use 'time'"});
  return frame;
}

}  // namespace pithball::datasets
