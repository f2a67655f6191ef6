#include "datasets/capture/marker_rows.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

using sim::Index;

bool says_missing(std::string_view cell) {
  const auto is = [&](std::string_view word) {
    return std::equal(cell.begin(), cell.end(), word.begin(), word.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  };
  return cell.empty() || is("nan") || is("na");
}

}  // namespace

double cell_number(std::string_view cell, const std::string& where) {
  if (says_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  const auto value = parse_number(cell);
  if (!value || !std::isfinite(*value))
    throw InvalidArgument({where, "cell", "must be a finite number or empty", "'" + std::string(cell) + "'",
                           "correct the cell, or leave it empty if the sample is missing"});
  return *value;
}

double whole_number(std::string_view cell, const std::string& where) {
  const double number = cell_number(cell, where);
  if (number != std::floor(number))  // also true of NaN
    throw InvalidArgument(
        {where, "frame", "must be a whole number", "'" + std::string(cell) + "'", "correct or remove the line"});
  return number;
}

std::vector<std::string_view> split_cells(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    cells.push_back(trim(line.substr(at, end - at)));
    at = end + 1;
  }
  return cells;
}

MarkerRows read_marker_rows(const std::vector<std::string_view>& lines, std::size_t first, std::size_t end,
                            char separator, Index markers, const std::string& path) {
  MarkerRows rows;
  const std::size_t width = 2 + 3 * static_cast<std::size_t>(markers);
  for (std::size_t n = first; n < end; ++n) {
    const auto cells = split_cells(lines[n], separator);
    const bool too_long = std::any_of(cells.begin() + std::min(width, cells.size()), cells.end(),
                                      [](std::string_view cell) { return !cell.empty(); });
    if (cells.size() < width || too_long)
      throw InvalidArgument({place(path, n), "row",
                             "must have " + std::to_string(width) + " cells (frame, another column, x, y, z of " +
                                 std::to_string(markers) + " markers)",
                             std::to_string(cells.size()),
                             "complete or remove the line; leave the cell of a missing sample empty"});
    const auto where = [&](std::size_t cell) { return place(path, n) + " cell " + std::to_string(cell + 1); };
    rows.frames.push_back(whole_number(cells[0], where(0)));
    rows.second.push_back(cell_number(cells[1], where(1)));
    sim::Points& x = rows.positions.emplace_back(3, markers);
    for (Index k = 0; k < x.size(); ++k) {
      const auto cell = 2 + static_cast<std::size_t>(k);
      x.data()[k] = cell_number(cells[cell], where(cell));
    }
  }
  return rows;
}

Index count_triples(std::string_view line, char separator, const std::string& where) {
  const auto cells = split_cells(line, separator);
  std::size_t count = cells.size();
  while (count > 0 && cells[count - 1].empty()) --count;
  if (count < 5 || (count - 2) % 3 != 0)
    throw InvalidArgument({where, "row of axes", "must name x, y, z of each marker from the third cell on",
                           std::to_string(count) + " cells", "export the trial again"});
  return static_cast<Index>(count - 2) / 3;
}

std::vector<std::string> names_of_triples(std::string_view line, char separator, Index markers) {
  const auto cells = split_cells(line, separator);
  std::vector<std::string> names;
  for (std::size_t m = 0; m < static_cast<std::size_t>(markers); ++m)
    names.emplace_back(2 + 3 * m < cells.size() ? cells[2 + 3 * m] : std::string_view());
  return names;
}

}  // namespace pithball::datasets
