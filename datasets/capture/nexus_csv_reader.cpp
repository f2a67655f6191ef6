#include "datasets/capture/nexus_csv_reader.hpp"

#include <algorithm>
#include <array>

#include "datasets/capture/marker_rows.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::string_view separators = ",;\t";

/// The first cell of a line if all others are empty; otherwise empty.
std::string_view only_cell(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(separators), line.size());
  if (line.find_first_not_of(",;\t \r", end) != std::string_view::npos) return {};
  return trim(line.substr(0, end));
}

char separator_below(std::string_view header) {
  const std::size_t at = header.find_first_of(separators);
  return at == std::string_view::npos ? ',' : header[at];
}

}  // namespace

bool is_nexus_csv(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const auto lines = split_lines(head);
  constexpr std::array<std::string_view, 3> blocks{"Trajectories", "Devices", "Model Outputs"};
  return lines.size() > 1 && std::count(blocks.begin(), blocks.end(), only_cell(lines[0])) > 0 &&
         parse_number(only_cell(lines[1])).has_value();
}

MarkerFile read_nexus_csv(const std::string& path) {
  const std::string text = read_plain_text(path, FileUse::Recording);
  const auto lines = split_lines(text);
  std::size_t title = 0;
  while (title < lines.size() && only_cell(lines[title]) != "Trajectories") ++title;
  if (title + 5 >= lines.size())
    throw InvalidArgument({place(path, std::min(title, lines.size() - 1)), "table",
                           "must have a block Trajectories: rate, names, axes, units and rows of data",
                           title < lines.size() ? "the end of the file" : "none", "export the trajectories again"});
  const char separator = separator_below(lines[title + 3]);
  MarkerFile file;
  file.path = path;
  file.rate = parse_number(only_cell(lines[title + 1])).value_or(0);
  const Index markers = count_triples(lines[title + 3], separator, place(path, title + 3));
  file.markers = names_of_triples(lines[title + 2], separator, markers);
  const auto units = split_cells(lines[title + 4], separator);
  if (units.size() > 2) file.unit_name = units[2];
  for (std::size_t k = 2; k < 2 + 3 * static_cast<std::size_t>(markers); ++k)
    if (k >= units.size() || units[k] != units[2])
      throw InvalidArgument({place(path, title + 4), "units", "must be the same for every axis",
                             k < units.size() ? "'" + std::string(units[k]) + "' in cell " + std::to_string(k + 1)
                                              : std::to_string(units.size()) + " cells",
                             "export the trajectories again"});
  file.unit = find_length_unit(file.unit_name);
  std::size_t end = title + 5;
  while (end < lines.size() && lines[end].find_first_not_of(",;\t ") != std::string_view::npos) ++end;
  MarkerRows rows = read_marker_rows(lines, title + 5, end, triples_after_two(separator, markers), path);
  file.frames = std::move(rows.frames);
  file.positions = std::move(rows.positions);
  file.notes = std::move(rows.notes);
  return file;
}

}  // namespace pithball::datasets
