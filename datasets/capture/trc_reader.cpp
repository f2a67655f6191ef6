#include "datasets/capture/trc_reader.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/capture/marker_rows.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// The value below a name in the second line.
std::string_view header_value(const std::vector<std::string_view>& names, const std::vector<std::string_view>& values,
                              std::string_view name, const std::string& path) {
  const auto found = std::find(names.begin(), names.end(), name);
  const std::size_t k = found - names.begin();
  if (found == names.end() || k >= values.size() || values[k].empty())
    throw InvalidArgument({path + ":2", "header", "must name " + std::string(name) + ", with its value below", "none",
                           "export the trial again"});
  return values[k];
}

bool is_blank(std::string_view line, char separator) {
  const auto cells = split_cells(line, separator);
  return std::all_of(cells.begin(), cells.end(), [](std::string_view cell) { return cell.empty(); });
}

}  // namespace

MarkerFile read_trc(const std::string& path) {
  const std::string text = read_plain_text(path, FileUse::Recording);
  const auto lines = split_lines(text);
  if (!lines[0].starts_with("PathFileType"))
    throw InvalidArgument({path + ":1", "TRC file", "must begin with PathFileType", "something else",
                           "check the file extension, or give its format"});
  const char separator = lines[0].find('\t') != std::string_view::npos ? '\t' : ',';
  std::size_t end = lines.size();
  while (end > 0 && is_blank(lines[end - 1], separator)) --end;
  if (end < 6)
    throw InvalidArgument({place(path, lines.size() - 1), "TRC file", "must have five lines of header and rows of data",
                           std::to_string(end) + " lines", "export the trial again"});
  const auto names = split_cells(lines[1], separator), values = split_cells(lines[2], separator);
  MarkerFile file;
  file.path = path;
  file.rate = parse_number(header_value(names, values, "DataRate", path)).value_or(0);
  file.unit_name = header_value(names, values, "Units", path);
  file.unit = find_length_unit(file.unit_name);
  const Index markers = count_triples(lines[4], separator, place(path, 4));
  const auto told = header_value(names, values, "NumMarkers", path);
  if (parse_integer(told) != markers)
    throw InvalidArgument({place(path, 2), "NumMarkers",
                           "must be the " + std::to_string(markers) + " of the fifth line", std::string(told),
                           "the file is damaged: export the trial again"});
  file.markers = names_of_triples(lines[3], separator, markers);
  const std::size_t first = is_blank(lines[5], separator) ? 6 : 5;
  MarkerRows rows = read_marker_rows(lines, first, end, triples_after_two(separator, markers), path);
  file.frames = std::move(rows.frames);
  if (std::none_of(rows.second.begin(), rows.second.end(), [](double t) { return std::isnan(t); }))
    file.time = std::move(rows.second);
  file.positions = std::move(rows.positions);
  file.notes = std::move(rows.notes);
  return file;
}

}  // namespace pithball::datasets
