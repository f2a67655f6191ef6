#include "datasets/capture/deeplabcut_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "datasets/capture/marker_rows.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

using Cells = std::vector<std::string_view>;

/// The lines of a header and where the data begin.
struct Header {
  Cells individuals, bodyparts, coords;  ///< without the first cell, which names the line; individuals may be empty
  std::size_t data = 0;                  ///< line number, from 0
};

bool begins_with(const std::vector<std::string_view>& lines, std::size_t line, std::string_view word) {
  return line < lines.size() && split_cells(lines[line], ',')[0] == word;
}

Cells cells_behind(std::string_view line) {
  Cells cells = split_cells(line, ',');
  cells.erase(cells.begin());
  return cells;
}

Header read_header(const std::vector<std::string_view>& lines, const std::string& path) {
  Header header;
  std::size_t line = 1;
  if (begins_with(lines, line, "individuals")) header.individuals = cells_behind(lines[line++]);
  if (!begins_with(lines, 0, "scorer") || !begins_with(lines, line, "bodyparts") ||
      !begins_with(lines, line + 1, "coords"))
    throw InvalidArgument({place(path, std::min(line, lines.size() - 1)), "header",
                           "must be the lines scorer, (individuals,) bodyparts, coords", "something else",
                           "export the table again, or give its format"});
  header.bodyparts = cells_behind(lines[line]);
  header.coords = cells_behind(lines[line + 1]);
  header.data = line + 2;
  if (header.bodyparts.size() != header.coords.size() ||
      (!header.individuals.empty() && header.individuals.size() != header.coords.size()))
    throw InvalidArgument(
        {place(path, line + 1), "header", "must have lines of equal length",
         std::to_string(header.bodyparts.size()) + " and " + std::to_string(header.coords.size()) + " columns",
         "export the table again"});
  return header;
}

/// The columns of a marker, numbered from 0 after the column of frames.
struct MarkerColumns {
  std::string name;
  std::array<std::optional<std::size_t>, 3> axes;
  std::optional<std::size_t> likelihood;
};

std::vector<MarkerColumns> find_markers(const Header& header, const std::string& path) {
  std::vector<MarkerColumns> markers;
  for (std::size_t k = 0; k < header.coords.size(); ++k) {
    std::string name(header.bodyparts[k]);
    if (!header.individuals.empty()) name.insert(0, std::string(header.individuals[k]) + ":");
    auto marker = std::ranges::find(markers, name, &MarkerColumns::name);
    if (marker == markers.end()) marker = markers.insert(markers.end(), {name, {}, {}});
    const std::string_view coord = header.coords[k];
    const std::size_t axis = coord.size() == 1 ? std::string_view("xyz").find(coord) : std::string_view::npos;
    auto* const column = coord == "likelihood"            ? &marker->likelihood
                         : axis != std::string_view::npos ? &marker->axes[axis]
                                                          : nullptr;
    if (!column || *column)
      throw InvalidArgument({place(path, header.data - 1) + " cell " + std::to_string(k + 2), "coords",
                             "must be x, y, z or likelihood, each once for a body part",
                             "'" + std::string(coord) + "' of '" + name + "'", "export the table again"});
    *column = k;
  }
  for (const MarkerColumns& marker : markers)
    if (!marker.axes[0] || !marker.axes[1] || marker.axes[2].has_value() != markers[0].axes[2].has_value())
      throw InvalidArgument({place(path, header.data - 1), "coords", "must be x and y, or x, y and z of each body part",
                             "others of '" + marker.name + "'", "export the table again"});
  return markers;
}

double read_likelihood(std::string_view cell, const std::string& where) {
  const double likelihood = cell_number(cell, where);
  if (likelihood < 0 || likelihood > 1)
    throw InvalidArgument({where, "likelihood", "must be between 0 and 1", "'" + std::string(cell) + "'",
                           "correct the cell, or leave it empty if the sample is missing"});
  return likelihood;
}

/// Drops samples below the likelihood threshold, and counts them.
struct Sieve {
  double min_likelihood = 0;
  std::size_t samples = 0, dropped = 0;
  /// Whether a sample with coordinates is kept.
  bool keeps(double likelihood) {
    ++samples;
    if (likelihood >= min_likelihood) return true;
    ++dropped;
    return false;
  }
  std::string note() const {
    return formatted("%zu of %zu samples have a likelihood below %g and are missing: `min_likelihood`", dropped,
                     samples, min_likelihood);
  }
};

sim::Points read_row(const Cells& cells, const std::vector<MarkerColumns>& markers, const std::string& row,
                     Sieve& sieve) {
  const auto where = [&](std::size_t column) { return row + " cell " + std::to_string(column + 2); };
  sim::Points x = sim::Points::Constant(3, static_cast<Index>(markers.size()), NAN);
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const MarkerColumns& marker = markers[m];
    auto point = x.col(static_cast<Index>(m));
    for (std::size_t a = 0; a < 3; ++a)
      if (const auto& column = marker.axes[a]) point[a] = cell_number(cells[*column + 1], where(*column));
    if (!marker.likelihood) continue;
    const double likelihood = read_likelihood(cells[*marker.likelihood + 1], where(*marker.likelihood));
    if (!std::isnan(point[0]) && !sieve.keeps(likelihood)) point.setConstant(NAN);
  }
  return x;
}

}  // namespace

bool is_deeplabcut(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const auto lines = split_lines(head);
  return begins_with(lines, 0, "scorer") && (begins_with(lines, 1, "bodyparts") || begins_with(lines, 2, "bodyparts"));
}

MarkerFile read_deeplabcut(const CaptureSpec& spec) {
  if (!(spec.missing.min_likelihood >= 0 && spec.missing.min_likelihood <= 1))
    throw InvalidArgument({spec.file, "min_likelihood", "must be between 0 and 1",
                           formatted("%g", spec.missing.min_likelihood),
                           "give the smallest likelihood of a sample that counts"});
  const std::string text = read_plain_text(spec.file, FileUse::Recording);
  auto lines = split_lines(text);
  while (lines.size() > 1 && trim(lines.back()).empty()) lines.pop_back();
  const Header header = read_header(lines, spec.file);
  const std::vector<MarkerColumns> markers = find_markers(header, spec.file);
  MarkerFile file;
  file.path = spec.file;
  file.unit_name = "pixel";
  for (const MarkerColumns& marker : markers) file.markers.push_back(marker.name);
  if (!markers.empty()) file.recorded[2] = markers[0].axes[2].has_value();
  Sieve sieve{spec.missing.min_likelihood};
  for (std::size_t n = header.data; n < lines.size(); ++n) {
    const Cells cells = split_cells(lines[n], ',');
    if (cells.size() != header.coords.size() + 1)
      throw InvalidArgument(
          {place(spec.file, n), "row", "must have " + std::to_string(header.coords.size() + 1) + " cells",
           std::to_string(cells.size()), "complete or remove the line; leave the cell of a missing sample empty"});
    file.frames.push_back(whole_number(cells[0], place(spec.file, n) + " cell 1"));
    file.positions.push_back(read_row(cells, markers, place(spec.file, n), sieve));
  }
  if (sieve.dropped > 0) file.notes.push_back(sieve.note());
  return file;
}

}  // namespace pithball::datasets
