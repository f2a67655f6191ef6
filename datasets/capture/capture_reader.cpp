#include "datasets/capture/capture_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>

#include "datasets/capture/frame_tools.hpp"
#include "datasets/capture/header_points.hpp"
#include "datasets/capture/marker_columns.hpp"
#include "datasets/capture/table_cells.hpp"
#include "datasets/text/csv_table.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {

namespace {

struct PointSource {
  std::string name;
  std::array<Source, 3> coordinates;
};

/// What is not measured at all.
Source not_recorded() { return {{}, std::numeric_limits<double>::quiet_NaN()}; }

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::array<Source, 3> sources_of(const HeaderPoint& point) {
  std::array<Source, 3> sources;
  for (std::size_t a = 0; a < 3; ++a)
    sources[a] = {point.columns[a], point.columns[a] ? 0 : std::numeric_limits<double>::quiet_NaN()};
  return sources;
}

/// Every set of columns x<k>, y<k>, z<k> of the header (or of what other components there are) or, without any, the
/// points that it names in other ways.
std::vector<PointSource> find_sets(const CsvTable& table, const std::vector<std::string>& components) {
  if (components.size() == 3) reject_incomplete_markers(table);
  std::vector<PointSource> points;
  for (const std::string& name : table.names()) {
    const std::string_view word = trim(name);
    if (!word.starts_with(components.front())) continue;
    const std::string rest(word.substr(components.front().size()));
    PointSource point{rest.empty() ? "0" : rest, {not_recorded(), not_recorded(), not_recorded()}};
    bool complete = true;
    for (std::size_t a = 0; a < components.size() && complete; ++a) {
      complete = table.has_column(components[a] + rest);
      if (complete) point.coordinates[a] = {table.find_column(components[a] + rest, "points"), 0};
    }
    if (complete) points.push_back(std::move(point));
  }
  if (points.empty() && components.size() > 1)
    for (const HeaderPoint& point : find_header_points(table.names(), table.path()))
      points.push_back({point.name, sources_of(point)});
  if (points.empty()) {
    std::string known, wanted;
    for (const auto& name : table.names()) known.append(known.empty() ? "'" : ", '").append(name).append("'");
    for (const std::string& component : components) wanted += component + "1, ";
    const bool are_points = components.size() == 3;
    throw InvalidArgument(
        {table.path(), "points",
         "must be given where the header has no " + (are_points ? "x1, y1 or m1_x, m1_y, …" : wanted + "…"),
         "the columns " + known,
         "list the columns of each point: points: [[" + (are_points ? "X, Y, Z" : joined_words(components)) + "], …]" +
             (are_points && table.has_column("u0") ? "; for pixels u0, v0, …, write `measurement: {camera: …}`" : "")});
  }
  return points;
}

std::string must_give(const std::vector<std::string>& components) {
  constexpr std::array counts{"one column", "one or two columns", "one, two or three columns"};
  return std::string("must give ") + counts[components.size() - 1];
}

std::vector<PointSource> find_points(const CsvTable& table, const CaptureSpec& spec) {
  std::vector<PointSource> points;
  if (spec.points.empty()) points = find_sets(table, spec.components);
  for (std::size_t m = 0; m < spec.points.size(); ++m) {
    const auto& words = spec.points[m];
    const std::string what = "points[" + std::to_string(m) + "]";
    if (words.empty() || words.size() > spec.components.size())
      throw InvalidArgument({table.path(), what, must_give(spec.components), std::to_string(words.size()),
                             "write [" + joined_words(spec.components) + "]"});
    PointSource point{"", {}};
    for (std::size_t a = spec.components.size(); a < 3; ++a) point.coordinates[a] = not_recorded();
    for (std::size_t a = 0; a < words.size(); ++a) {
      point.coordinates[a] = find_source(table, words[a], what);
      if (point.name.empty() && point.coordinates[a].column) point.name = words[a];
    }
    const auto& c = point.coordinates;
    if (std::none_of(c.begin(), c.end(), [](const Source& s) { return s.column.has_value(); }))
      throw InvalidArgument({table.path(), what, "must name at least one column", "constants only",
                             table.names()[0] == "#1" ? "give column numbers for a table without header: #1, #2, …"
                                                      : "give a column of the header"});
    points.push_back(std::move(point));
  }
  if (!spec.markers.empty()) {
    if (spec.markers.size() != points.size())
      throw InvalidArgument({table.path(), "markers",
                             "must give a name to each of the " + std::to_string(points.size()) + " points",
                             std::to_string(spec.markers.size()) + " names", "give one name for each point or none"});
    for (std::size_t m = 0; m < points.size(); ++m) points[m].name = spec.markers[m];
  }
  return points;
}

/// The column that time is read from; empty if it is counted from the rate.
std::optional<Index> find_time_column(const CsvTable& table, const CaptureSpec& spec) {
  if (!std::isfinite(spec.rate) || spec.rate < 0)
    throw InvalidArgument({table.path(), "rate", "must be > 0 1/s", to_text(spec.rate), "give frames per second"});
  if (spec.rate > 0 && !spec.time.empty())
    throw InvalidArgument({table.path(), "time", "must not be given together with rate", "both", "remove one of them"});
  if (spec.rate == 0 && !spec.frame.empty())
    throw InvalidArgument({table.path(), "frame", "needs a rate", "none", "add rate: frames per second"});
  if (!std::isfinite(spec.time_scale) || spec.time_scale <= 0)
    throw InvalidArgument({table.path(), "time_scale", "must be finite and > 0", std::to_string(spec.time_scale),
                           "give seconds per unit of the time column"});
  if (!spec.time.empty()) return table.find_column(spec.time, "time");
  if (spec.rate > 0) return {};
  for (const char* name : {"t", "time"})
    if (table.has_column(name)) return table.find_column(name, "time");
  throw InvalidArgument({table.path(), "time", "must be known", "neither a time column nor a rate",
                         "name the column, columns: {time: NAME}, or give rate: frames per second"});
}

std::vector<double> find_times(const CsvTable& table, const CaptureSpec& spec, const std::vector<Index>& rows,
                               std::optional<Index> time_column) {
  std::vector<double> time;
  if (time_column) {
    for (const Index row : rows) time.push_back(spec.time_scale * present_number(table, row, *time_column, "time"));
  } else if (spec.frame.empty()) {
    for (std::size_t k = 0; k < rows.size(); ++k) time.push_back(k / spec.rate);
  } else {
    const Index column = table.find_column(spec.frame, "frame");
    std::vector<double> frames;
    for (const Index row : rows) frames.push_back(frame_number(table, row, column));
    const double first = spec.order == RowOrder::Time ? *std::min_element(frames.begin(), frames.end()) : frames[0];
    for (const double frame : frames) time.push_back((frame - first) / spec.rate);
  }
  return time;
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

/// Only frames that are kept must be in order: the ends that a subset drops may hold anything.
void check_increasing(const CsvTable& table, const std::vector<Index>& rows, const std::vector<double>& time,
                      const std::vector<Index>& kept) {
  for (std::size_t k = 1; k < kept.size(); ++k) {
    const std::size_t before = kept[k - 1], now = kept[k];
    if (!(time[now] > time[before]))
      throw InvalidArgument(
          {table.where(rows[now]), "time", "must increase strictly",
           to_text(time[now]) + " s after " + to_text(time[before]) + " s",
           time[now] == time[before]
               ? "remove the repeated row or, if each row holds one marker, name the column of "
                 "markers: columns: {marker: NAME}"
               : "use `rows: {COLUMN: value}` if the file contains several recordings, or `row_order: time`"});
  }
}

/// Which coordinates have columns of their own.
std::array<bool, 3> columns_of(const std::array<Source, 3>& coordinates) {
  return {coordinates[0].column.has_value(), coordinates[1].column.has_value(), coordinates[2].column.has_value()};
}

/// `Capture::constant`.
std::vector<std::array<bool, 3>> find_constants(const std::vector<PointSource>& points, const sim::Mat3& matrix) {
  std::vector<std::array<bool, 3>> constant;
  for (const PointSource& point : points) constant.push_back(constant_axes(point.coordinates, matrix));
  const std::array<bool, 3> none{};
  if (std::ranges::count(constant, none) == static_cast<std::ptrdiff_t>(constant.size())) constant.clear();
  return constant;
}

}  // namespace

Capture read_capture_table(const CaptureSpec& spec) {
  if (!spec.select.empty() || !spec.marker.empty())
    throw InvalidArgument({spec.file, spec.marker.empty() ? "select" : "marker",
                           "must not be given for a table with one row per frame", "",
                           "give the columns of the required points"});
  const CsvTable table(spec.file, spec.header_line, spec.first_data_line);
  const auto points = find_points(table, spec);
  const sim::Mat3 matrix = matrix_of(spec.frame_of_reference, table.path());
  const auto time_column = find_time_column(table, spec);
  auto rows = find_rows(table, spec, !time_column && spec.frame.empty());
  auto time = find_times(table, spec, rows, time_column);
  if (spec.order == RowOrder::Time) sort_by_time(rows, time);
  const auto kept = kept_frames(spec.subset, time, table.path());
  check_increasing(table, rows, time, kept);

  const auto frames = kept.size(), count = points.size();
  Capture capture;
  capture.name = std::filesystem::path(spec.file).stem().string();
  for (const auto& [column, value] : spec.segment) capture.name += " " + column + "=" + value;
  for (const auto& point : points) capture.markers.push_back(point.name);
  capture.constant = find_constants(points, matrix);
  capture.time.resize(static_cast<Index>(frames));
  const bool mask_repeated = spec.repeated == RepeatedSamples::Mask;
  bool any_present = false;
  sim::Points raw(3, static_cast<Index>(count)), before = raw;
  for (std::size_t k = 0; k < frames; ++k) {
    const Index row = rows[kept[k]];
    capture.time[k] = time[kept[k]];
    for (std::size_t m = 0; m < count; ++m)
      for (std::size_t a = 0; a < 3; ++a) {
        const Source& source = points[m].coordinates[a];
        raw(a, m) = source.column ? table.number(row, *source.column) : source.constant;
      }
    for (std::size_t m = 0; m < count; ++m)
      mask_numbers(spec.missing, columns_of(points[m].coordinates), static_cast<Index>(m), raw);
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

}  // namespace pithball::datasets
