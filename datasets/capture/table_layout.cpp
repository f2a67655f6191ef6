#include "datasets/capture/table_layout.hpp"

#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/capture/long_table_columns.hpp"
#include "datasets/capture/table_columns.hpp"
#include "datasets/text/csv_table.hpp"

namespace pithball::datasets {
namespace {

std::string in_unit(const ColumnName& name) { return name.unit.empty() ? "" : " in " + name.unit; }

/// What a column is by its name, whether or not it is used.
std::string meaning_of(const ColumnName& name, const std::vector<std::string>& components) {
  if (!name.unclear.empty()) return "not understood: " + name.unclear;
  if (name.axis_is_loose) return "not understood";
  if (name.quantity == Quantity::Unknown || name.quantity == Quantity::Other) return plural(name.quantity);
  if (!name.axis) return (name.quantity == Quantity::Length ? "lengths" : plural(name.quantity)) + in_unit(name);
  const auto axis = static_cast<std::size_t>(*name.axis);
  const std::string letter = axis < components.size() ? components[axis] : std::string(1, "xyz"[axis]);
  const std::string quantity = name.quantity == Quantity::Length ? "" : std::string(plural(name.quantity)) + ", ";
  return quantity + letter + (name.point.empty() ? "" : " of '" + name.point + "'") + in_unit(name);
}

/// Names by which `columns:` finds the columns.
std::vector<std::string> references_to(const CsvTable& table) {
  std::unordered_map<std::string, int> count;
  for (const std::string& name : table.names()) ++count[name];
  std::vector<std::string> references;
  for (const std::string& name : table.names()) {
    const bool finds = count[name] == 1 && !name.empty() && name != "none" && !name.starts_with('#');
    references.push_back(finds ? name : "#" + std::to_string(references.size() + 1));
  }
  return references;
}

}  // namespace

TableLayout lay_out(const CaptureSpec& spec) {
  const CsvTable table(spec.file, spec.rows.header_line, spec.rows.first_data_line);
  const TableColumns columns(table);
  TableLayout layout;
  const std::vector<std::string> references = references_to(table);
  const auto refer = [&](Index column) {
    layout.columns[column].is_used = true;
    return references[column];
  };
  for (Index k = 0; k < table.columns(); ++k)
    layout.columns.push_back({table.names()[k], meaning_of(columns[k], spec.components), false});
  const auto list_point = [&](const auto& coordinates) {
    std::vector<std::string>& words = layout.points.emplace_back();
    for (std::size_t a = 0; a < spec.components.size(); ++a)
      words.push_back(coordinates[a] ? refer(*coordinates[a]) : "none");
  };
  CaptureSpec timed = spec;
  if (!spec.columns.marker.empty() || (spec.columns.points.size() < 2 && is_long_header(table.names()))) {
    const LongTableColumns found = find_long_table_columns(table, columns, spec);
    layout.marker = refer(found.marker);
    std::array<std::optional<Index>, 3> coordinates;
    for (std::size_t a = 0; a < 3; ++a) coordinates[a] = found.coordinates[a].column;
    list_point(coordinates);
    if (found.time && spec.rate == 0) timed.columns.time = "#" + std::to_string(*found.time + 1);
  } else if (spec.columns.points.empty()) {
    for (const HeaderPoint& point :
         columns.find_points({spec.quantity, spec.components, spec.frame_of_reference.scale.has_value()}))
      list_point(point.columns);
  } else {
    for (const auto& words : spec.columns.points) {
      layout.points.push_back(words);
      for (const std::string& word : words)
        if (const Source source = find_source(table, word, "points"); source.column) refer(*source.column);
    }
  }
  const TableClock clock(table, columns, timed);
  if (layout.marker.empty() && layout.points.size() == 1)
    if (const auto marker = find_marker_column(table, columns, clock, spec)) layout.marker = refer(*marker);
  if (!clock.is_counted()) (clock.is_column_of_frames() ? layout.frame : layout.time) = refer(clock.column());
  return layout;
}

}  // namespace pithball::datasets
