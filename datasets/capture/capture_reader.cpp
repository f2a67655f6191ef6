#include "datasets/capture/capture_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/table_clock.hpp"
#include "datasets/capture/table_columns.hpp"
#include "datasets/text/csv_table.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {

namespace {

struct PointSource {
  std::string name;
  std::array<Source, 3> coordinates;
};

Wanted wanted_of(const CaptureSpec& spec) {
  // With a scale, pixels are converted to lengths.
  return {spec.quantity, spec.components, spec.frame_of_reference.scale.has_value()};
}

std::string must_give(const std::vector<std::string>& components) {
  constexpr std::array counts{"one column", "one or two columns", "one, two or three columns"};
  return std::string("must give ") + counts[components.size() - 1];
}

std::vector<PointSource> points_of_header(const TableColumns& columns, const CaptureSpec& spec) {
  std::vector<PointSource> points;
  for (HeaderPoint& point : columns.find_points(wanted_of(spec))) {
    PointSource& source = points.emplace_back(PointSource{std::move(point.name), {}});
    for (std::size_t a = 0; a < 3; ++a)
      source.coordinates[a] = point.columns[a] ? Source{point.columns[a], 0} : not_recorded();
  }
  return points;
}

std::vector<PointSource> find_points(const CsvTable& table, const TableColumns& columns, const CaptureSpec& spec) {
  const ColumnSpec& named = spec.columns;
  std::vector<PointSource> points;
  if (named.points.empty()) points = points_of_header(columns, spec);
  for (std::size_t m = 0; m < named.points.size(); ++m) {
    const auto& words = named.points[m];
    const std::string what = "points[" + std::to_string(m) + "]";
    if (words.empty() || words.size() > spec.components.size())
      throw InvalidArgument({table.path(), what, must_give(spec.components), std::to_string(words.size()),
                             "write [" + joined(spec.components) + "]"});
    PointSource point{"", {}};
    for (std::size_t a = spec.components.size(); a < 3; ++a) point.coordinates[a] = not_recorded();
    for (std::size_t a = 0; a < words.size(); ++a) {
      point.coordinates[a] = find_source(table, words[a], what);
      if (point.coordinates[a].column) columns.check_quantity(*point.coordinates[a].column, wanted_of(spec));
      if (point.name.empty() && point.coordinates[a].column) point.name = words[a];
    }
    const auto& c = point.coordinates;
    if (std::none_of(c.begin(), c.end(), [](const Source& s) { return s.column.has_value(); }))
      throw InvalidArgument({table.path(), what, "must name at least one column", "constants only",
                             table.names()[0] == "#1" ? "give column numbers for a table without header: #1, #2, …"
                                                      : "give a column of the header"});
    points.push_back(std::move(point));
  }
  if (!named.names.empty()) {
    if (named.names.size() != points.size())
      throw InvalidArgument({table.path(), "markers",
                             "must give a name to each of the " + std::to_string(points.size()) + " points",
                             std::to_string(named.names.size()) + " names", "give one name for each point or none"});
    for (std::size_t m = 0; m < points.size(); ++m) points[m].name = named.names[m];
  }
  return points;
}

std::vector<Index> columns_of(const std::vector<PointSource>& points) {
  std::vector<Index> columns;
  for (const PointSource& point : points)
    for (const Source& source : point.coordinates)
      if (source.column) columns.push_back(*source.column);
  return columns;
}

/// Drops the rows after the end of this run, which have neither time nor points: the table contains runs of unequal
/// length side by side.
void drop_rows_behind_end(const CsvTable& table, const TableClock& clock, const std::vector<Index>& columns,
                          std::vector<Index>& rows) {
  const auto is_empty = [&](Index row) {
    return clock.is_empty(row) &&
           std::ranges::all_of(columns, [&](Index c) { return table.cell(row, c).text.empty(); });
  };
  while (rows.size() > 1 && is_empty(rows.back())) rows.pop_back();
}

void sort_by_time(std::vector<Index>& rows, std::vector<double>& time) {
  std::vector<std::size_t> by_time(rows.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::stable_sort(by_time.begin(), by_time.end(), [&](auto a, auto b) { return time[a] < time[b]; });
  std::vector<Index> sorted_rows;
  std::vector<double> sorted_time;
  for (const std::size_t k : by_time) {
    sorted_rows.push_back(rows[k]);
    sorted_time.push_back(time[k]);
  }
  rows = std::move(sorted_rows);
  time = std::move(sorted_time);
}

/// Checks the order of the kept frames only: frames that a subset drops may contain anything.
void check_increasing(const CsvTable& table, const TableClock& clock, const std::vector<Index>& rows,
                      const std::vector<double>& time, const std::vector<Index>& kept) {
  for (std::size_t k = 1; k < kept.size(); ++k) {
    const std::size_t before = kept[k - 1], now = kept[k];
    if (time[now] > time[before]) continue;
    const bool is_rounded = time[now] == time[before] && !clock.is_counted() && !clock.has_frames() && now >= 2 &&
                            clock.written_step(rows[now]) > 0.5 * (time[before] - time[before - 1]);
    throw InvalidArgument(
        {table.where(rows[now]), "time", "must increase strictly",
         to_text(time[now]) + " s after " + to_text(time[before]) + " s",
         is_rounded ? "times are rounded: give rate: frames per second, and columns: {time: none}"
         : time[now] == time[before]
             ? "remove the repeated row or, if each row holds one marker, name the column of markers: columns: "
               "{marker: "
               "NAME}"
             : "use `rows: {COLUMN: value}` if the file contains several recordings, `row_order: time`, or name the "
               "column of markers if each row holds one: columns: {marker: NAME}"});
  }
}

/// For each coordinate, whether it has a column of its own.
std::array<bool, 3> columns_of(const std::array<Source, 3>& coordinates) {
  return {coordinates[0].column.has_value(), coordinates[1].column.has_value(), coordinates[2].column.has_value()};
}

/// Returns the value of `Capture::constant`.
std::vector<std::array<bool, 3>> find_constants(const std::vector<PointSource>& points, const sim::Mat3& matrix) {
  std::vector<std::array<bool, 3>> constant;
  for (const PointSource& point : points) constant.push_back(constant_axes(point.coordinates, matrix));
  const std::array<bool, 3> none{};
  if (std::ranges::count(constant, none) == static_cast<std::ptrdiff_t>(constant.size())) constant.clear();
  return constant;
}

}  // namespace

Capture read_capture_table(const CaptureSpec& spec) {
  const CsvTable table(spec.file, spec.rows.header_line, spec.rows.first_data_line);
  const TableColumns columns(table);
  return read_capture_table(table, columns, TableClock(table, columns, spec), spec);
}

Capture read_capture_table(const CsvTable& table, const TableColumns& columns, const TableClock& clock,
                           const CaptureSpec& spec) {
  if (!spec.select.empty() || !spec.columns.marker.empty())
    throw InvalidArgument({spec.file, spec.columns.marker.empty() ? "select" : "marker",
                           "must not be given for a table with one row per frame", "",
                           "give the columns of the required points"});
  const auto points = find_points(table, columns, spec);
  const std::vector<Index> used = columns_of(points);
  const CaptureFrame frame_of_reference = columns.in_unit_of(used, spec.quantity, spec.frame_of_reference);
  const sim::Mat3 matrix = matrix_of(frame_of_reference, table.path());
  auto rows = find_rows(table, spec.rows, clock.is_counted());
  drop_rows_behind_end(table, clock, used, rows);
  auto time = clock.times_of(rows);
  if (spec.rows.order == RowOrder::Time) sort_by_time(rows, time);
  clock.check(rows);
  const auto kept = kept_frames(spec.subset, time, table.path());
  check_increasing(table, clock, rows, time, kept);

  const auto frames = kept.size(), count = points.size();
  Capture capture;
  capture.name = std::filesystem::path(spec.file).stem().string();
  for (const auto& [column, value] : spec.rows.segment) capture.name += " " + column + "=" + value;
  for (const auto& point : points) capture.markers.push_back(point.name);
  capture.constant = find_constants(points, matrix);
  capture.file_scale = factors_of(matrix);
  if (const std::string unit = columns.unit_of(used); !unit.empty())
    capture.notes.push_back("columns are in " + unit + ", as the header says");
  if (std::string note = clock.rounding_note(rows); !note.empty()) capture.notes.push_back(std::move(note));
  capture.time.resize(static_cast<Index>(frames));
  const bool mask_repeated = spec.missing.repeated == RepeatedSamples::Mask;
  bool any_present = false;
  sim::Points raw(3, static_cast<Index>(count)), before = raw;
  for (std::size_t k = 0; k < frames; ++k) {
    const Index row = rows[kept[k]];
    capture.time[k] = time[kept[k]];
    capture.frame_numbers.push_back(clock.is_column_of_frames() ? std::llround(clock.reading(row)) : kept[k]);
    for (std::size_t m = 0; m < count; ++m)
      for (std::size_t a = 0; a < 3; ++a) {
        const Source& source = points[m].coordinates[a];
        raw(a, m) = source.column ? table.number(row, *source.column) : source.constant;
      }
    for (std::size_t m = 0; m < count; ++m)
      mask_numbers(spec.missing.numbers, columns_of(points[m].coordinates), static_cast<Index>(m), raw);
    std::vector<bool> present(count);
    sim::Points x = to_meters(matrix, raw);
    for (std::size_t m = 0; m < count; ++m) {
      const Index column = m;
      bool repeated = mask_repeated && k > 0, complete = true;
      for (Index a = 0; a < 3; ++a) {
        if (!points[m].coordinates[a].recorded()) continue;
        repeated &= raw(a, column) == before(a, column);
        complete &= std::isfinite(raw(a, column));
      }
      present[m] = complete && !repeated;
      if (!present[m]) x.col(column).setConstant(std::numeric_limits<double>::quiet_NaN());
      any_present |= present[m];
    }
    before = raw;
    capture.positions.push_back(std::move(x));
    capture.present.push_back(std::move(present));
  }
  if (!any_present)
    throw InvalidArgument({table.path(), "points", "must contain at least one sample", "missing samples only",
                           "check the columns and the subset"});
  return capture;
}

std::vector<Segment> list_segments(const std::string& file, const std::string& column, Index header_line) {
  const CsvTable table(file, header_line, 0);
  const Index c = table.find_column(column, "segment");
  std::vector<Segment> segments;
  std::map<std::string_view, std::size_t> number_of;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string_view value = table.cell(row, c).text;
    const auto [place, is_new] = number_of.try_emplace(value, segments.size());
    if (is_new) {
      const std::string where = table.where(row);
      segments.push_back({std::string(value), *parse_integer(where.substr(where.rfind(':') + 1)), 0});
    }
    ++segments[place->second].rows;
  }
  return segments;
}

namespace {

void append(std::string& line, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  line.append(digits, end);
}

}  // namespace

void write_capture_csv(const Capture& capture, const std::string& file, std::string_view comment) {
  std::ofstream out(file, std::ios::binary);
  const auto markers = capture.markers.size();
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    out << "# " << comment.substr(at, end - at) << '\n';
    at = end + 1;
  }
  out << 't';
  for (std::size_t m = 0; m < markers; ++m)
    for (const std::string& component : capture.components) out << ',' << component << m;
  out << '\n';
  for (std::size_t f = 0; f < capture.positions.size(); ++f) {
    std::string line;
    append(line, capture.time[f]);
    for (std::size_t m = 0; m < markers; ++m)
      for (std::size_t a = 0; a < capture.components.size(); ++a) {
        line += ',';
        if (capture.present[f][m]) append(line, capture.positions[f](static_cast<Index>(a), static_cast<Index>(m)));
      }
    out << line << '\n';
  }
  out.close();
  if (!out)
    throw InvalidArgument(
        {file, "recording", "must be writable", "a write error", "check the folder, its permissions and the disk"});
}

}  // namespace pithball::datasets
