#include "datasets/capture/long_table_columns.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

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

/// [s]; empty: it is no unit of time.
std::optional<double> find_time_unit(const std::string& name) {
  static const std::map<std::string, double> known{{"s", 1},     {"sec", 1},     {"second", 1}, {"seconds", 1},
                                                   {"ms", 1e-3}, {"msec", 1e-3}, {"min", 60}};
  const auto found = known.find(lower_case(name));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// How many rows below the header are titles: neither x nor marker has a digit in them.
Index count_titles(const CsvTable& table, Index marker, Index x) {
  constexpr Index most = 3;
  Index titles = 0;
  while (titles < std::min(most, table.rows()) && !has_digit(table.cell(titles, x).text) &&
         !has_digit(table.cell(titles, marker).text))
    ++titles;
  return titles;
}

void take_coordinates(const CsvTable& table, const CaptureSpec& spec, const LongTableNames* names,
                      LongTableColumns& columns) {
  const Source nothing{{}, std::numeric_limits<double>::quiet_NaN()};
  columns.coordinates = {nothing, nothing, nothing};
  if (spec.points.empty() && !names)
    throw InvalidArgument({table.path(), "points", "must be given where the header has no x and y", "none",
                           "name the columns: columns: {marker: ID, points: [[X, Y, none]]}"});
  if (spec.points.empty()) {
    const std::array wanted{&names->x, &names->y, &names->z};
    for (std::size_t a = 0; a < 3; ++a)
      if (const auto column = find_named_column(table.names(), *wanted[a])) columns.coordinates[a] = {column, 0};
    columns.z_is_guessed = names->has_titles && columns.coordinates[2].column;
    return;
  }
  if (spec.points.size() != 1 || spec.points[0].empty() || spec.points[0].size() > 3)
    throw InvalidArgument({table.path(), "points", "must have one entry of up to three columns for a long table",
                           std::to_string(spec.points.size()) + " entries", "write points: [[X, Y, Z]]"});
  for (std::size_t a = 0; a < spec.points[0].size(); ++a)
    columns.coordinates[a] = find_source(table, spec.points[0][a], "points[0]");
  if (std::ranges::none_of(columns.coordinates, [](const Source& s) { return s.column.has_value(); }))
    throw InvalidArgument(
        {table.path(), "points[0]", "must name at least one column", "none of them", "give a column of the header"});
}

/// The column of frames, for a given rate.
Index find_frame_column(const CsvTable& table, const CaptureSpec& spec, const LongTableNames* names) {
  if (!spec.time.empty())
    throw InvalidArgument({table.path(), "time", "must not be given together with rate", "both", "remove one of them"});
  if (!spec.frame.empty()) return table.find_column(spec.frame, "frame");
  if (names)
    if (const auto column = find_named_column(table.names(), names->frame)) return *column;
  throw InvalidArgument({table.path(), "frame", "must be known for a rate", "no column of frames",
                         "name it, columns: {frame: NAME}, or use times"});
}

/// The column of times, and its unit.
void take_time(const CsvTable& table, const CaptureSpec& spec, const LongTableNames* names, LongTableColumns& columns) {
  columns.seconds = spec.time_scale;
  if (!spec.time.empty()) {
    columns.clock = table.find_column(spec.time, "time");
    return;
  }
  const bool has_unit = names && names->has_titles;  // or it may count frames
  for (const std::string& name : {names ? names->time : "time", std::string("t")}) {
    const auto column = find_named_column(table.names(), name);
    if (!column) continue;
    const auto told = has_unit && columns.first_row > 0
                          ? find_time_unit(without_brackets(table.cell(columns.first_row - 1, *column).text))
                          : std::nullopt;
    if (has_unit && !told) continue;
    columns.clock = *column;
    if (told) columns.seconds = *told;
    return;
  }
  throw InvalidArgument({table.path(), "time", "must be known", "neither a rate nor a column of times in seconds",
                         "give rate: frames per second, or name the column: columns: {time: NAME, time_scale: 1 s}"});
}

}  // namespace

std::optional<Index> find_named_column(const std::vector<std::string>& header, const std::string& name) {
  const auto found =
      std::ranges::find_if(header, [&](const std::string& one) { return lower_case(trim(one)) == name; });
  return found == header.end() ? std::nullopt : std::optional<Index>(found - header.begin());
}

const LongTableNames* find_long_table_names(const std::vector<std::string>& header, bool tell_marker) {
  static const std::array<LongTableNames, 3> known{
      {{"track_id", "frame", "position_t", "position_x", "position_y", "position_z", true},  // TrackMate
       {"particle", "frame", "time", "x", "y", "z"},                                         // TrackPy
       {"marker", "frame", "time", "x", "y", "z"}}};
  const auto has = [&](const std::string& name) { return find_named_column(header, name).has_value(); };
  const auto found = std::ranges::find_if(known, [&](const LongTableNames& names) {
    return has(names.x) && has(names.y) &&
           (!tell_marker || (has(names.marker) && (has(names.frame) || has(names.time) || has("t"))));
  });
  return found == known.end() ? nullptr : &*found;
}

LongTableColumns find_long_table_columns(const CsvTable& table, const CaptureSpec& spec) {
  const LongTableNames* const names = find_long_table_names(table.names(), spec.marker.empty());
  if (spec.marker.empty() && !names)
    throw InvalidArgument({table.path(), "marker", "must be known in a long table", "no column of this name",
                           "name the column: columns: {marker: NAME}"});
  if (!std::isfinite(spec.rate) || spec.rate < 0 || !(spec.time_scale > 0) || !std::isfinite(spec.time_scale))
    throw InvalidArgument({table.path(), "rate and time_scale", "must be finite and > 0",
                           std::to_string(spec.rate) + " and " + std::to_string(spec.time_scale),
                           "give frames per second, and seconds per unit of the time column"});
  if (spec.rate == 0 && !spec.frame.empty())
    throw InvalidArgument({table.path(), "frame", "needs a rate", "none", "add rate: frames per second"});
  LongTableColumns columns;
  columns.marker =
      spec.marker.empty() ? *find_named_column(table.names(), names->marker) : table.find_column(spec.marker, "marker");
  take_coordinates(table, spec, names, columns);
  const std::optional<Index> x = columns.coordinates[0].column;
  if (names && names->has_titles && spec.first_data_line == 0 && x)
    columns.first_row = count_titles(table, columns.marker, *x);
  if (columns.first_row > 0) columns.unit_name = without_brackets(table.cell(columns.first_row - 1, *x).text);
  if (spec.rate > 0)
    columns.clock = find_frame_column(table, spec, names);
  else
    take_time(table, spec, names, columns);
  return columns;
}

}  // namespace pithball::datasets
