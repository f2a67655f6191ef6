#include "datasets/capture/table_layout.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/capture/table_columns.hpp"
#include "datasets/text/csv_table.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool has_digit(std::string_view cell) {
  return std::ranges::any_of(cell, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "(micron)" → "micron".
std::string without_brackets(std::string_view cell) {
  if (cell.starts_with('(') && cell.ends_with(')') && cell.size() > 1) cell = cell.substr(1, cell.size() - 2);
  return std::string(trim(cell));
}

/// Returns the column with this name, regardless of case.
std::optional<Index> column_named(const std::vector<std::string>& header, std::string_view name) {
  const auto found =
      std::ranges::find_if(header, [&](const std::string& one) { return lower_case(trim(one)) == name; });
  return found == header.end() ? std::nullopt : std::optional<Index>(found - header.begin());
}

/// Whether the table is TrackMate's. Below the header it has up to three more lines of titles, the last with units.
bool is_of_trackmate(const std::vector<std::string>& header) {
  return column_named(header, "track_id") && column_named(header, "position_x") && column_named(header, "position_y");
}

/// Returns the number of rows below the header that are titles, whose x and marker contain no digits.
Index count_titles(const CsvTable& table, Index marker, Index x) {
  constexpr Index most = 3;
  Index titles = 0;
  while (titles < std::min(most, table.rows()) && !has_digit(table.cell(titles, x).text) &&
         !has_digit(table.cell(titles, marker).text))
    ++titles;
  return titles;
}

/// Whether only a column of markers has this name; a column "id" or "label" may also number rows or name events.
bool names_markers(const std::string& name) {
  const std::string lower = lower_case(name);
  return std::ranges::any_of(std::array{"particle", "track", "traj", "marker", "object", "tid"},
                             [&](const char* word) { return lower.find(word) != std::string::npos; });
}

void take_trackmate_columns(const CsvTable& table, const CaptureSpec& spec, LongTableColumns& columns) {
  columns.coordinates = {not_recorded(), not_recorded(), not_recorded()};
  const std::array names{"position_x", "position_y", "position_z"};
  for (std::size_t a = 0; a < 3; ++a)
    if (const auto column = column_named(table.names(), names[a])) columns.coordinates[a] = {column, 0};
  const Index x = *columns.coordinates[0].column;
  if (spec.rows.first_data_line == 0) columns.first_row = count_titles(table, columns.marker, x);
  columns.z_is_guessed = columns.coordinates[2].column.has_value();
  if (columns.first_row == 0) return;
  const Index titles = columns.first_row - 1;
  columns.unit_name = without_brackets(table.cell(titles, x).text);
  // Without a unit of time, POSITION_T counts frames.
  const auto time = column_named(table.names(), "position_t");
  const auto unit = time ? find_unit(without_brackets(table.cell(titles, *time).text)) : std::nullopt;
  if (!unit || unit->quantity != Quantity::Time || !spec.columns.time.empty()) return;
  columns.time = time;
  columns.seconds = unit->factor;
}

void take_coordinates(const CsvTable& table, const TableColumns& meanings, const CaptureSpec& spec,
                      LongTableColumns& columns) {
  const std::vector<std::vector<std::string>>& named = spec.columns.points;
  const Wanted wanted{spec.quantity, spec.components, spec.frame_of_reference.scale.has_value()};
  columns.coordinates = {not_recorded(), not_recorded(), not_recorded()};
  if (named.empty()) {
    const std::vector<HeaderPoint> points = meanings.find_points(wanted);
    if (points.size() != 1)
      throw InvalidArgument({table.path(), "points", "must be one in a long table",
                             std::to_string(points.size()) + " in the header",
                             "name its columns: columns: {points: [[X, Y]]}"});
    for (std::size_t a = 0; a < 3; ++a)
      if (points[0].columns[a]) columns.coordinates[a] = {points[0].columns[a], 0};
    columns.z_is_guessed = columns.coordinates[2].column.has_value();
  } else {
    if (named.size() != 1 || named[0].empty() || named[0].size() > 3)
      throw InvalidArgument({table.path(), "points", "must have one entry of up to three columns for a long table",
                             std::to_string(named.size()) + " entries", "write points: [[X, Y, Z]]"});
    for (std::size_t a = 0; a < named[0].size(); ++a) {
      columns.coordinates[a] = find_source(table, named[0][a], "points[0]");
      if (columns.coordinates[a].column) meanings.check_quantity(*columns.coordinates[a].column, wanted);
    }
    if (columns.used().empty())
      throw InvalidArgument(
          {table.path(), "points[0]", "must name at least one column", "none of them", "give a column of the header"});
  }
  columns.unit_name = meanings.unit_of(columns.used());
}

/// Pairs of marker and frame, which show whether a column identifies markers.
struct Pairs {
  bool are_unique = true;  ///< no value occurs twice in one frame
  bool all_repeat = true;  ///< each value has several rows
  bool are_whole = true;   ///< no value is a fraction
  std::size_t values = 0;  ///< number of distinct values
};

Pairs pairs_of(const CsvTable& table, Index column, const std::vector<Index>& rows, const std::vector<double>& clock) {
  std::unordered_map<std::string_view, std::set<double>> frames;
  Pairs pairs;
  for (std::size_t k = 0; k < rows.size() && pairs.are_unique; ++k) {
    const std::string_view value = table.cell(rows[k], column).text;
    pairs.are_unique = frames[value].insert(clock.empty() ? static_cast<double>(k) : clock[k]).second;
    const auto number = parse_number(value);
    pairs.are_whole = pairs.are_whole && !(number && *number != std::floor(*number));
  }
  pairs.values = frames.size();
  pairs.all_repeat = std::ranges::all_of(frames, [](const auto& one) { return one.second.size() > 1; });
  return pairs;
}

std::string quoted_names(const CsvTable& table, const std::vector<Index>& columns) {
  std::vector<std::string> names;
  for (const Index column : columns) names.push_back("'" + table.names()[column] + "'");
  return joined(names);
}

}  // namespace

std::vector<Index> LongTableColumns::used() const {
  std::vector<Index> columns;
  for (const Source& source : coordinates)
    if (source.column) columns.push_back(*source.column);
  return columns;
}

bool is_long_header(const std::vector<std::string>& header) {
  if (is_of_trackmate(header)) return true;
  const TableColumns meanings(header, "");
  const auto marker = meanings.only(Quantity::Identity), frame = meanings.only(Quantity::Frame),
             time = meanings.only(Quantity::Time);
  const auto has_axis = [&](int axis) {
    for (std::size_t k = 0; k < header.size(); ++k) {
      const ColumnName& column = meanings[k];
      if (column.axis == axis && !column.axis_is_loose && column.point.empty()) return true;
    }
    return false;
  };
  if (!marker || (!frame && !time) || !has_axis(0) || !has_axis(1)) return false;
  // A column "id" may number the rows or name parts of the recording: find_marker_column decides by its frames.
  return names_markers(header[*marker]);
}

LongTableColumns find_long_table_columns(const CsvTable& table, const TableColumns& columns, const CaptureSpec& spec) {
  LongTableColumns found;
  const bool of_trackmate = is_of_trackmate(table.names()) && spec.columns.points.empty();
  const auto marker =
      is_of_trackmate(table.names()) ? column_named(table.names(), "track_id") : columns.only(Quantity::Identity);
  if (spec.columns.marker.empty() && !marker)
    throw InvalidArgument({table.path(), "marker", "must be known in a long table", "no column of this name",
                           "name the column: columns: {marker: NAME}"});
  found.marker = spec.columns.marker.empty() ? *marker : table.find_column(spec.columns.marker, "marker");
  if (of_trackmate)
    take_trackmate_columns(table, spec, found);
  else
    take_coordinates(table, columns, spec, found);
  return found;
}

std::optional<Index> find_marker_column(const CsvTable& table, const TableColumns& columns, const TableClock& clock,
                                        const CaptureSpec& spec) {
  std::vector<Index> rows = find_rows(table, spec.rows, false);
  std::erase_if(rows, [&](Index row) { return clock.is_empty(row); });
  std::vector<double> readings;
  if (!clock.is_counted())
    for (const Index row : rows) readings.push_back(clock.reading(row));
  const bool increases = std::ranges::adjacent_find(readings, std::greater_equal<>()) == readings.end();
  const bool repeats = !increases && std::set<double>(readings.begin(), readings.end()).size() < readings.size();
  const auto is_free = [&](Index column) {
    const bool is_point = std::ranges::any_of(spec.columns.points, [&](const auto& words) {
      return std::ranges::any_of(
          words, [&](const std::string& word) { return find_source(table, word, "points[0]").column == column; });
    });
    return !columns[column].axis && !is_point && columns[column].quantity >= Quantity::Identity &&
           (clock.is_counted() || column != clock.column());
  };
  std::vector<Index> named, other;
  for (Index column = 0; column < table.columns(); ++column) {
    const bool is_named = columns[column].quantity == Quantity::Identity && !columns[column].axis;
    if (!is_free(column) || (!is_named && !repeats)) continue;
    const bool is_strong = is_named && names_markers(table.names()[column]);
    if (!repeats && !is_strong) continue;
    const Pairs pairs = pairs_of(table, column, rows, readings);
    if (!pairs.are_unique || pairs.values < 2 || pairs.values == rows.size()) continue;
    if (is_named)
      named.push_back(column);
    else if (pairs.all_repeat && pairs.are_whole)
      other.push_back(column);
  }
  const std::vector<Index>& candidates = named.empty() ? other : named;
  if (candidates.empty()) return {};
  if (clock.is_counted())
    throw InvalidArgument(
        {table.header_place(), "frame", "must be known where each row holds one marker",
         "markers in the column " + quoted_names(table, candidates) + ", and no column of frames",
         "name it, columns: {frame: NAME}, or select one marker: rows: {" + table.names()[candidates[0]] + ": …}"});
  if (candidates.size() > 1)
    throw InvalidArgument({table.header_place(), "marker", "must be known where frames repeat",
                           "several columns that may name markers: " + quoted_names(table, candidates),
                           "name it: columns: {marker: NAME}"});
  return candidates[0];
}

namespace {

std::string in_unit(const ColumnName& name) { return name.unit.empty() ? "" : " in " + name.unit; }

/// The meaning of a column according to its name, whether or not it is used.
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

/// Returns the names by which `columns:` finds the columns.
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
