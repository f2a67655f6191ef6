#include "datasets/capture/marker_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::string_view axes = "xyz";

/// A marker by the names of its columns: axis, then its name (x1), or its name, then _axis (m1_x).
struct NamedMarker {
  std::string name;
  bool axis_first = true;
  std::array<bool, 3> has{};

  std::string column(std::size_t axis) const { return axis_first ? axes[axis] + name : name + "_" + axes[axis]; }
  auto count() const { return std::count(has.begin(), has.end(), true); }
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Marker and axis of a column, if its name contains them.
std::optional<std::pair<NamedMarker, std::size_t>> marker_of(std::string_view column) {
  if (column.size() > 2 && column[column.size() - 2] == '_')
    if (const std::size_t axis = axes.find(column.back()); axis != std::string_view::npos)
      return std::pair(NamedMarker{std::string(column.substr(0, column.size() - 2)), false, {}}, axis);
  const std::size_t axis = column.empty() ? std::string_view::npos : axes.find(column.front());
  if (axis == std::string_view::npos || !(column.size() == 1 || is_number(column.substr(1)))) return {};
  return std::pair(NamedMarker{std::string(column.substr(1)), true, {}}, axis);
}

std::vector<NamedMarker> find_markers(const CsvTable& table) {
  std::vector<NamedMarker> markers;
  for (const std::string& name : table.names()) {
    const auto found = marker_of(trim(name));
    if (!found) continue;
    const auto same = std::ranges::find_if(markers, [&](const NamedMarker& known) {
      return known.name == found->first.name && known.axis_first == found->first.axis_first;
    });
    NamedMarker& marker = same == markers.end() ? markers.emplace_back(found->first) : *same;
    marker.has[found->second] = true;
  }
  return markers;
}

/// A column that is none of a marker's but is written nearly like this one: zz1 or Z1 for z1.
std::optional<std::string> find_misspelled(const CsvTable& table, const NamedMarker& marker, std::size_t axis) {
  std::vector<std::string> candidates;
  for (const std::string& name : table.names()) {
    const std::string word(trim(name));
    const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(axes[axis])));
    const bool has_axis = word.find(axes[axis]) != std::string::npos || word.find(upper) != std::string::npos;
    if (!marker_of(word) && has_axis && word.find(marker.name) != std::string::npos) candidates.push_back(word);
  }
  return nearest(marker.column(axis), candidates);
}

/// "x1, none, z1", with `none` for a column that the file lacks.
std::string listed(const NamedMarker& marker, std::size_t missing) {
  std::vector<std::string> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back(axis == missing || !marker.has[axis] ? "none" : marker.column(axis));
  return joined(columns);
}

}  // namespace

void reject_incomplete_markers(const CsvTable& table) {
  const std::vector<NamedMarker> markers = find_markers(table);
  const bool any_whole = std::ranges::any_of(markers, [](const NamedMarker& one) { return one.count() == 3; });
  for (const NamedMarker& marker : markers) {
    if (marker.count() == 3) continue;
    const std::size_t missing = std::ranges::find(marker.has, false) - marker.has.begin();
    const auto misspelled = find_misspelled(table, marker, missing);
    const bool is_marker = !marker.name.empty() && (marker.count() == 2 || marker.axis_first);
    if (!misspelled && !(any_whole && is_marker)) continue;  // without a whole one, markers are planar
    const std::string wanted = marker.column(missing);
    std::string remedy = misspelled ? "rename '" + *misspelled + "' to '" + wanted + "'" : "add the column";
    remedy += ", or list the columns of each marker: `columns: {points: [[" + listed(marker, missing) + "], …]}`";
    throw InvalidArgument({table.header_place(), "marker '" + (marker.name.empty() ? "0" : marker.name) + "'",
                           "must have columns x, y and z", "no column '" + wanted + "'", std::move(remedy)});
  }
}

}  // namespace pithball::datasets
