#include "datasets/capture/marker_rows.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

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

/// Completes rows that lack their last cells.
struct Shortened {
  std::size_t rows = 0, samples = 0;

  /// Restores the empty cells at the end of a row. Throws InvalidArgument at `where` if the row is too long, or ends
  /// within a marker.
  void complete(std::vector<std::string_view>& cells, const RowLayout& layout, const std::string& where) {
    const std::size_t written = cells.size();
    if (written == layout.width) return;
    while (!cells.empty() && (cells.size() > layout.width || written < layout.width) && cells.back().empty())
      cells.pop_back();
    const std::size_t lost =
        std::ranges::count_if(layout.first_of_xyz, [&](std::size_t x) { return x >= cells.size(); });
    const bool is_cut = std::ranges::any_of(layout.first_of_xyz,
                                            [&](std::size_t x) { return x < cells.size() && x + 3 > cells.size(); });
    const std::size_t least = 1 + std::max(layout.frame.value_or(0), layout.second.value_or(0));
    if (cells.size() > layout.width || cells.size() < least || is_cut)
      throw InvalidArgument(
          {where, "row", "must have " + std::to_string(layout.width) + " cells, or end with z of a marker",
           std::to_string(written), "complete or remove the line; leave the cell of a missing sample empty"});
    if (lost > 0) ++rows;
    samples += lost;
    cells.resize(layout.width);
  }

  std::string note() const {
    return std::to_string(rows) + (rows == 1 ? " row ends" : " rows end") +
           " before the last marker: " + std::to_string(samples) + (samples == 1 ? " sample is" : " samples are") +
           " missing";
  }
};

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

RowLayout triples_after_two(char separator, Index markers) {
  RowLayout layout{separator, 2 + 3 * static_cast<std::size_t>(markers), 0, 1, {}};
  for (std::size_t cell = 2; cell < layout.width; cell += 3) layout.first_of_xyz.push_back(cell);
  return layout;
}

MarkerRows read_marker_rows(const std::vector<std::string_view>& lines, std::size_t first, std::size_t end,
                            const RowLayout& layout, const std::string& path) {
  MarkerRows rows;
  Shortened shortened;
  for (std::size_t n = first; n < end; ++n) {
    auto cells = split_cells(lines[n], layout.separator);
    shortened.complete(cells, layout, place(path, n));
    const auto where = [&](std::size_t cell) { return place(path, n) + " cell " + std::to_string(cell + 1); };
    if (layout.frame) rows.frames.push_back(whole_number(cells[*layout.frame], where(*layout.frame)));
    if (layout.second) rows.second.push_back(cell_number(cells[*layout.second], where(*layout.second)));
    sim::Points& points = rows.positions.emplace_back(3, static_cast<Index>(layout.first_of_xyz.size()));
    for (Index k = 0; k < points.size(); ++k) {
      const std::size_t cell = layout.first_of_xyz[k / 3] + static_cast<std::size_t>(k % 3);
      points.data()[k] = cell_number(cells[cell], where(cell));
    }
  }
  if (shortened.rows > 0) rows.notes.push_back(shortened.note());
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

void take_times(std::vector<double> time, const StatedRates& rates, MarkerFile& file) {
  if (time.empty() || std::ranges::any_of(time, [](double t) { return std::isnan(t); })) return;
  const double duration = time.back() - time.front();
  const double intervals = file.frames.empty() ? static_cast<double>(time.size() - 1)  //
                                               : file.frames.back() - file.frames.front();
  bool any = false, agrees = false;
  std::string stated;
  for (const auto& [key, rate] : rates) {
    if (!(rate > 0)) continue;
    any = true;
    // Allows half a frame, or clocks that differ by half a percent (29.97 and 30 frames per second differ by 0.1 %).
    agrees = agrees || std::abs(duration * rate - intervals) <= std::max(0.5, 0.005 * intervals);
    stated += (stated.empty() ? "" : ", ") + formatted("%g", rate) + " (" + key + ")";
  }
  if (any && !agrees && duration > 0)
    throw InvalidArgument({file.path, "times", "must agree with the frames per second in the header, " + stated,
                           formatted("%.6g", intervals / duration) + " by the column of times",
                           "correct the header or the times, or export the trial again"});
  file.time = std::move(time);
}

void note_on_length(const std::string& key, Index announced, MarkerFile& file) {
  const auto frames = static_cast<Index>(file.positions.size());
  if (announced != frames)
    file.notes.push_back(key + " is " + std::to_string(announced) + ", but the file has " + std::to_string(frames) +
                         " rows, which are read");
}

}  // namespace pithball::datasets
