#include "datasets/capture/motive_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "datasets/capture/marker_clock.hpp"
#include "datasets/capture/marker_rows.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::size_t body_cells = 11;  // id, position, quaternion, three angles

/// One row of a frame, from its fourth cell on.
class FrameCells {
 public:
  FrameCells(std::string_view line, std::string where) : cells_(split_cells(line, ',')), where_(std::move(where)) {
    if (cells_.size() > 1 && cells_.back().empty()) cells_.pop_back();  // some rows end in a comma
    if (cells_.size() < 5) reject("at least 5");
    bodies_ = count(3, body_cells);
    markers_ = count(first_marker() - 1, 4);
    const std::size_t rest = cells_.size() - first_marker();
    size_ = markers_ > 0 ? rest / markers_ : 5;
    if (rest != markers_ * size_ || (markers_ > 0 && size_ != 4 && size_ != 5)) reject("x, y, z, id and name of each");
  }

  double frame() const { return whole_number(cells_[1], where(1)); }
  double time() const { return cell_number(cells_[2], where(2)); }
  std::size_t bodies() const { return bodies_; }
  std::size_t markers() const { return markers_; }
  /// The name of a marker or, without names, its id.
  std::string name(std::size_t m) const {
    const std::size_t id = first_marker() + m * size_ + 3;
    const std::string_view named = size_ == 5 && !cells_[id + 1].empty() ? cells_[id + 1] : cells_[id];
    const bool is_quoted = named.size() > 1 && named.front() == '"' && named.back() == '"';
    return std::string(is_quoted ? named.substr(1, named.size() - 2) : named);
  }
  sim::Vec3 point(std::size_t m) const {
    sim::Vec3 x;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t cell = first_marker() + m * size_ + a;
      x[a] = cell_number(cells_[cell], where(cell));
    }
    return x;
  }

 private:
  std::string where(std::size_t cell) const { return where_ + " cell " + std::to_string(cell + 1); }
  std::size_t first_marker() const { return 5 + bodies_ * body_cells; }

  [[noreturn]] void reject(const std::string& cells) const {
    throw InvalidArgument({where_, "frame", "must have " + cells + " cells as its counts of bodies and markers say",
                           std::to_string(cells_.size()), "the file is damaged: export the take again"});
  }

  /// A number of items of `size` cells or more, which must follow it.
  std::size_t count(std::size_t cell, std::size_t size) const {
    const auto n = cell < cells_.size() ? parse_integer(cells_[cell]) : std::nullopt;
    if (!n || *n < 0 || static_cast<std::size_t>(*n) > (cells_.size() - cell - 1) / size) reject("the");
    return static_cast<std::size_t>(*n);
  }

  std::vector<std::string_view> cells_;
  std::string where_;
  std::size_t bodies_ = 0, markers_ = 0, size_ = 5;
};

}  // namespace

bool is_motive_frames(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  constexpr std::size_t enough = 4096;  // bytes: the rows of comments are shorter
  for (const std::string_view line : split_lines(head.substr(0, enough))) {
    if (line.starts_with("comment,") || trim(line).empty()) continue;
    return line.starts_with("righthanded") || line.starts_with("lefthanded") || line.starts_with("info,version") ||
           line.starts_with("info,framecount");
  }
  return false;
}

MarkerFile read_motive_frames(const std::vector<std::string_view>& lines, const std::string& path) {
  MarkerFile file;
  file.path = path;
  std::map<std::string, Index> known;
  std::vector<std::map<Index, sim::Vec3>> frames;
  std::vector<double> time;
  bool any_body = false;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (!lines[n].starts_with("frame,")) continue;
    const FrameCells cells(lines[n], place(path, n));
    file.frames.push_back(cells.frame());
    time.push_back(cells.time());
    any_body = any_body || cells.bodies() > 0;
    auto& points = frames.emplace_back();
    for (std::size_t m = 0; m < cells.markers(); ++m) {
      const auto [marker, is_new] = known.try_emplace(cells.name(m), static_cast<Index>(known.size()));
      if (is_new) file.markers.push_back(marker->first);
      if (!points.try_emplace(marker->second, cells.point(m)).second)
        throw InvalidArgument({place(path, n), "frame", "must have each marker once", "'" + marker->first + "' twice",
                               "rename the markers, and export the take again"});
    }
  }
  check_samples(frames.size(), file.markers.size(), path);
  for (const auto& points : frames) {
    auto& x = file.positions.emplace_back(3, static_cast<Index>(file.markers.size()));
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    for (const auto& [marker, point] : points) x.col(marker) = point;
  }
  if (any_body) file.notes.emplace_back("positions and rotations of rigid bodies are not read");
  take_times(std::move(time), {}, file);
  return file;
}

}  // namespace pithball::datasets
