#include "datasets/capture/long_table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/marker_file.hpp"
#include "datasets/capture/marker_rows.hpp"
#include "datasets/capture/table_layout.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

/// Returns the marker name in a cell; empty if the row has no marker. 3 and 3.0 are the same name, since columns with
/// gaps are written as 3.0.
std::string marker_name(std::string_view cell) {
  if (cell == "None" || cell == "NA") return {};
  const auto number = parse_number(cell);
  if (!number) return std::string(cell);
  constexpr double exact = 1LL << 53;  // below it, doubles represent all whole numbers
  if (std::isnan(*number)) return {};
  return *number == std::floor(*number) && std::abs(*number) < exact ? std::to_string(static_cast<long long>(*number))
                                                                     : std::string(cell);
}

void sort_if_numbers(std::vector<std::string>& names) {
  if (!std::ranges::all_of(names, [](const std::string& name) { return parse_number(name).has_value(); })) return;
  std::ranges::stable_sort(names, {}, [](const std::string& name) { return *parse_number(name); });
}

/// The rows of a long table, put in order.
struct LongRows {
  std::vector<Index> rows;         ///< rows with a marker
  std::vector<std::string> names;  ///< marker of each row
  std::vector<double> readings;    ///< clock reading of each row
  std::vector<std::string> markers;
  std::map<double, std::size_t> frames;  ///< number of each value of the clock, in order
  Index without_marker = 0;

  std::vector<Index> rows_of(const std::string& marker) const {
    std::vector<Index> its;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (names[k] == marker) its.push_back(rows[k]);
    return its;
  }
};

LongRows sort_rows(const CsvTable& table, const CaptureSpec& spec, const LongTableColumns& columns,
                   const TableClock& clock) {
  LongRows sorted;
  std::map<std::string, bool> known;
  for (const Index row : find_rows(table, spec.rows, false)) {
    if (row < columns.first_row) continue;
    std::string name = marker_name(table.cell(row, columns.marker).text);
    if (name.empty()) {
      ++sorted.without_marker;
      continue;
    }
    if (known.try_emplace(name, true).second) sorted.markers.push_back(name);
    sorted.rows.push_back(row);
    sorted.names.push_back(std::move(name));
    sorted.readings.push_back(clock.reading(row));
    sorted.frames[sorted.readings.back()] = 0;
  }
  std::size_t number = 0;
  for (auto& [reading, frame] : sorted.frames) frame = number++;
  sort_if_numbers(sorted.markers);
  return sorted;
}

sim::Vec3 read_point(const CsvTable& table, Index row, const std::array<Source, 3>& coordinates) {
  sim::Vec3 point;
  for (std::size_t a = 0; a < 3; ++a)
    point[a] = coordinates[a].column ? table.number(row, *coordinates[a].column) : coordinates[a].constant;
  return point;
}

/// Stores the position of each row whose marker is selected.
void fill_positions(const CsvTable& table, const LongTableColumns& columns, const LongRows& sorted, MarkerFile& file) {
  std::map<std::string_view, Index> number_of;
  for (const std::string& name : file.markers) number_of.emplace(name, static_cast<Index>(number_of.size()));
  const auto count = static_cast<Index>(file.markers.size());
  check_samples(sorted.frames.size(), file.markers.size(), file.path);
  file.positions.assign(sorted.frames.size(), sim::Points::Constant(3, count, NAN));
  std::vector<Index> row_of(sorted.frames.size() * file.markers.size(), -1);
  for (std::size_t k = 0; k < sorted.rows.size(); ++k) {
    const auto marker = number_of.find(sorted.names[k]);
    if (marker == number_of.end()) continue;  // not selected
    const Index row = sorted.rows[k];
    const std::size_t frame = sorted.frames.at(sorted.readings[k]);
    Index& before = row_of[frame * file.markers.size() + static_cast<std::size_t>(marker->second)];
    if (before >= 0)
      throw InvalidArgument({table.where(row), "row", "must be the only one of its marker and frame",
                             "a second one of marker '" + sorted.names[k] + "' after that of " + table.where(before),
                             "remove one of the two; if the column of markers is another, columns: {marker: NAME}"});
    before = row;
    file.positions[frame].col(marker->second) = read_point(table, row, columns.coordinates);
  }
}

/// Drops a constant z: the recording is planar.
void drop_flat_depth(MarkerFile& file) {
  double depth = NAN;
  for (const sim::Points& x : file.positions)
    for (Index m = 0; m < x.cols(); ++m) {
      if (std::isnan(x(2, m))) continue;
      if (std::isnan(depth)) depth = x(2, m);
      if (x(2, m) != depth) return;
    }
  file.recorded[2] = false;
  for (sim::Points& x : file.positions) x.row(2).setConstant(NAN);
  file.notes.push_back(formatted("z is %g in every row and is taken as not recorded", depth));
}

Capture read_rows(const CsvTable& table, const CaptureSpec& spec) {
  if (!spec.columns.names.empty())
    throw InvalidArgument({spec.file, "names", "must not be given for a long table", "", "its markers have names"});
  const TableColumns meanings(table);
  const LongTableColumns columns = find_long_table_columns(table, meanings, spec);
  CaptureSpec timed = spec;
  if (columns.time && spec.rate == 0) {
    timed.columns.time = "#" + std::to_string(*columns.time + 1);
    timed.columns.time_scale = columns.seconds;
  }
  const TableClock clock(table, meanings, timed);
  if (clock.is_counted())
    throw InvalidArgument({table.path(), "frame", "must be known for a rate", "no column of frames",
                           "name it, columns: {frame: NAME}, or use times"});
  const LongRows sorted = sort_rows(table, spec, columns, clock);
  clock.check(sorted.rows_of(sorted.markers.empty() ? "" : sorted.markers.front()));
  MarkerFile file;
  file.path = spec.file;
  file.unit_name = columns.unit_name;
  if (const auto unit = find_unit(columns.unit_name); unit && unit->quantity == spec.quantity) file.unit = unit->factor;
  if (columns.unit_name.empty()) file.unit = 1;
  for (const Index m : selected_markers(spec.file, sorted.markers, spec.select))
    file.markers.push_back(sorted.markers[m]);
  for (const auto& [reading, frame] : sorted.frames) (clock.has_frames() ? file.frames : file.time).push_back(reading);
  for (std::size_t a = 0; a < 3; ++a) file.recorded[a] = columns.coordinates[a].recorded();
  fill_positions(table, columns, sorted, file);
  if (sorted.without_marker > 0)
    file.notes.push_back(
        formatted("%lld rows belong to no marker and are left out", static_cast<long long>(sorted.without_marker)));
  if (columns.z_is_guessed) drop_flat_depth(file);
  CaptureSpec rest = without_columns(spec);
  rest.frame_of_reference = meanings.in_unit_of(columns.used(), spec.quantity, rest.frame_of_reference);
  Capture capture = to_capture(file, rest);
  for (const auto& [column, value] : spec.rows.segment) capture.name += " " + column + "=" + value;
  const auto constant = constant_axes(columns.coordinates, matrix_of(spec.frame_of_reference, spec.file));
  if (std::ranges::any_of(constant, std::identity())) capture.constant.assign(capture.markers.size(), constant);
  return capture;
}

}  // namespace

bool is_long_table(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  for (const std::string_view line : split_lines(head)) {
    if (trim(line).empty() || line.starts_with('#')) continue;
    const char separator = find_separator(line);
    std::vector<std::string> names;
    for (std::string_view cell : separator == ' ' ? split_words(line) : split_cells(line, separator)) {
      if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) cell = cell.substr(1, cell.size() - 2);
      names.emplace_back(cell);
    }
    return is_long_header(names);
  }
  return false;
}

Capture read_long_table(const CaptureSpec& spec) {
  return read_rows(CsvTable(spec.file, spec.rows.header_line, spec.rows.first_data_line), spec);
}

Capture read_table(const CaptureSpec& spec) {
  if (!spec.columns.names.empty() || !spec.select.empty() || !spec.columns.marker.empty() ||
      spec.columns.points.size() > 1)
    return read_capture_table(spec);
  const CsvTable table(spec.file, spec.rows.header_line, spec.rows.first_data_line);
  const TableColumns columns(table);
  const Wanted wanted{spec.quantity, spec.components, spec.frame_of_reference.scale.has_value()};
  const bool has_one_point = !spec.columns.points.empty() || columns.find_points(wanted).size() == 1;
  const TableClock clock(table, columns, spec);
  const auto marker = has_one_point ? find_marker_column(table, columns, clock, spec) : std::nullopt;
  if (!marker) return read_capture_table(table, columns, clock, spec);
  CaptureSpec as_long = spec;
  as_long.columns.marker = "#" + std::to_string(*marker + 1);
  Capture capture = read_rows(table, as_long);
  capture.notes.push_back("each row is one marker in one frame: markers are named by the column '" +
                          table.names()[*marker] + "'");
  return capture;
}
}  // namespace pithball::datasets
