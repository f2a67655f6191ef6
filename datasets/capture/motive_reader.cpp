#include "datasets/capture/motive_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "datasets/capture/marker_file.hpp"
#include "datasets/capture/marker_rows.hpp"
#include "datasets/text/foreign_file.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

/// Reads the layout of early versions of Motive, and of its predecessors Tracking Tools and Arena: each row begins with
/// its kind, and comment rows describe the kinds:
///
///     righthanded
///     info,version,1.1
///     frame,INDEX,TIME,BODIES,(ID,x,y,z,qx,qy,qz,qw,yaw,pitch,roll)…,MARKERS,(x,y,z,ID,NAME)…
///
/// Markers that a frame does not list are missing in it. Early versions have no marker names: ids are used instead. The
/// file does not contain the unit of length. Throws InvalidArgument at file:line on anything else.
MarkerFile read_motive_frames(const std::vector<std::string_view>& lines, const std::string& path);

/// Whether a file with this beginning has that layout.
bool is_motive_frames(std::string_view head);

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

  /// Returns the count in a cell; at least that many items of `size` cells each must follow.
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

namespace {

using HeaderRow = std::vector<std::string>;

constexpr std::string_view first_words = "Format Version";
constexpr const char* export_markers = "in Motive, export the take with its markers as CSV again";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

/// Returns the cells of a header line; cells may be quoted.
HeaderRow header_row(std::string_view line, char separator) {
  HeaderRow cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == separator && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

std::string cell_of(const HeaderRow& row, std::size_t k) { return k < row.size() ? row[k] : std::string(); }

/// Whether columns of this type contain positions of a marker.
bool is_marker_type(const std::string& type) { return type.ends_with("marker"); }

/// The rows above the data; a row that the file lacks is empty.
struct MotiveHeader {
  char separator = ',';
  HeaderRow take;  ///< the first line: keys and their values
  HeaderRow types, names, quantities, axes;
  std::size_t line = 0;  ///< number of the line of axes, from 0
};

/// Finds the rows of types and of names; the row right above the axes distinguishes positions and rotations.
void assign_header_rows(const std::vector<HeaderRow>& above, MotiveHeader& header) {
  header.quantities = above.back();
  for (std::size_t r = 0; r + 1 < above.size(); ++r) {
    const std::string label = in_small_letters(cell_of(above[r], 1));
    const bool is_types = label.empty() && std::ranges::any_of(above[r], [](const std::string& cell) {
                            const std::string type = in_small_letters(cell);
                            return is_marker_type(type) || type == "rigid body" || type == "bone";
                          });
    if (header.types.empty() && (label == "type" || is_types)) {
      header.types = above[r];
      if (header.names.empty()) header.names = above[r + 1];
    }
    if (label == "name") header.names = above[r];
  }
}

MotiveHeader read_motive_header(const std::vector<std::string_view>& lines, const std::string& path) {
  const std::size_t after = lines[0].find_first_of(",;\t");
  if (!lines[0].starts_with(first_words) || after == std::string_view::npos)
    throw InvalidArgument({path + ":1", "Motive file", "must begin with Format Version", "something else",
                           "check the file extension, or give its format"});
  MotiveHeader header;
  header.separator = lines[0][after];
  header.take = header_row(lines[0], header.separator);
  std::vector<HeaderRow> above;
  for (header.line = 1; header.line < lines.size(); ++header.line) {
    header.axes = header_row(lines[header.line], header.separator);
    if (in_small_letters(header.axes[0]) == "frame") break;
    if (std::ranges::any_of(header.axes, [](const std::string& cell) { return !cell.empty(); }))
      above.push_back(header.axes);
  }
  constexpr std::size_t most_rows = 12;  // above the axes; there are three to five
  if (header.line >= lines.size() || above.size() > most_rows || above.size() < 3)
    throw InvalidArgument({path, "Motive file", "must have rows of types, names and axes above its data",
                           header.line >= lines.size() ? "no row that begins with Frame" : "others", export_markers});
  assign_header_rows(above, header);
  return header;
}

/// Returns the value beside a key of the first line; empty if there is none.
std::string take_value(const HeaderRow& take, const std::string& key) {
  const auto found = std::ranges::find(take, key);
  return found == take.end() || found + 1 == take.end() ? std::string() : *(found + 1);
}

double take_rate(const HeaderRow& take, const std::string& key) {
  return parse_number(take_value(take, key)).value_or(0);
}

/// Meaning of the columns.
struct MotiveColumns {
  std::vector<std::string> markers;
  std::vector<std::size_t> first_of_xyz;   ///< of each marker
  std::set<std::string> expected, bodies;  ///< names of items that are not read
  std::size_t body_column = 0;             ///< number of the x column of the first body, from 1; 0: none
};

std::string list_some(const std::set<std::string>& names) {
  constexpr std::size_t most = 5;
  std::vector<std::string> first(names.begin(), std::next(names.begin(), std::min(most, names.size())));
  if (names.size() > most) first.emplace_back("…");
  return joined(first);
}

void require_triple(const MotiveHeader& header, std::size_t k, const std::string& name, const std::string& path) {
  for (const std::size_t a : {1U, 2U})
    if (in_small_letters(cell_of(header.axes, k + a)) != (a == 1 ? "y" : "z") || cell_of(header.names, k + a) != name)
      throw InvalidArgument(
          {place(path, header.line), "axes", "must be X, Y, Z of each marker, with '" + name + "' here",
           "'" + cell_of(header.axes, k + a) + "' of '" + cell_of(header.names, k + a) + "'", export_markers});
}

/// Returns the keys with which the file can be read as a table of the positions of the first body.
std::string body_as_table(std::size_t body_column, std::size_t line) {
  const auto column = [&](std::size_t k) { return "\"#" + std::to_string(body_column + k) + "\""; };
  return "`header_line: " + std::to_string(line + 1) + "`, `columns: {time: \"#2\", points: [[" + column(0) + ", " +
         column(1) + ", " + column(2) + "]]}`";
}

MotiveColumns find_motive_columns(const MotiveHeader& header, const std::string& path) {
  MotiveColumns columns;
  bool measured = false;
  for (const std::string& type : header.types) measured = measured || in_small_letters(type) == "marker";
  for (std::size_t k = 1; k < header.axes.size(); ++k) {
    const std::string type = in_small_letters(cell_of(header.types, k)), name = cell_of(header.names, k);
    if (type.empty() || type == "type") continue;
    const bool is_position = in_small_letters(cell_of(header.quantities, k)) == "position";
    if (!is_marker_type(type)) {
      columns.bodies.insert(name);
      columns.body_column = columns.body_column == 0 && is_position ? k + 1 : columns.body_column;
    } else if (measured && type != "marker") {
      columns.expected.insert(name);
    } else if (is_position && in_small_letters(header.axes[k]) == "x") {
      require_triple(header, k, name, path);
      columns.first_of_xyz.push_back(k);
      columns.markers.push_back(name);
    }
  }
  if (columns.markers.empty())
    throw InvalidArgument(
        {place(path, header.line), "Motive file", "must have the positions of markers",
         columns.bodies.empty() ? "none" : "only those of bodies: " + list_some(columns.bodies),
         export_markers + (columns.body_column == 0
                               ? std::string()
                               : "; or take a body for a point: " + body_as_table(columns.body_column, header.line))});
  return columns;
}

std::vector<std::string> notes_on_unread(const MotiveColumns& columns) {
  const auto& [markers, first_of_xyz, expected, bodies, body_column] = columns;
  std::vector<std::string> notes;
  if (!expected.empty())
    notes.push_back("positions that Motive expects of " + std::to_string(expected.size()) +
                    (expected.size() == 1 ? " marker" : " markers") + " are not read: the measured ones are");
  if (!bodies.empty())
    notes.push_back("positions and rotations of " + std::to_string(bodies.size()) +
                    (bodies.size() == 1 ? " body" : " bodies") + " are not read: " + list_some(bodies));
  return notes;
}

RowLayout motive_layout(const MotiveHeader& header, const MotiveColumns& columns) {
  RowLayout layout{header.separator, header.axes.size(), 0, {}, columns.first_of_xyz};
  while (layout.width > 1 && header.axes[layout.width - 1].empty()) --layout.width;
  if (in_small_letters(cell_of(header.axes, 1)).starts_with("time")) layout.second = 1;
  return layout;
}

}  // namespace

bool is_motive(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const bool has_header = head.starts_with(first_words) && head.size() > first_words.size() &&
                          std::string_view(",;\t").find(head[first_words.size()]) != std::string_view::npos;
  return has_header || is_motive_frames(head);
}

MarkerFile read_motive(const std::string& path) {
  const std::string text = read_plain_text(path, FileUse::Recording);
  const auto lines = split_lines(text);
  if (is_motive_frames(text)) return read_motive_frames(lines, path);
  const MotiveHeader header = read_motive_header(lines, path);
  const MotiveColumns columns = find_motive_columns(header, path);
  const RowLayout layout = motive_layout(header, columns);
  const std::size_t first = header.line + 1;
  std::size_t end = lines.size();
  while (end > first && lines[end - 1].find_first_not_of(",;\t ") == std::string_view::npos) --end;
  check_samples(end - first, columns.markers.size(), path);
  MarkerRows rows = read_marker_rows(lines, first, end, layout, path);
  MarkerFile file;
  file.path = path;
  file.markers = columns.markers;
  file.unit_name = take_value(header.take, "Length Units");
  file.unit = find_length_unit(file.unit_name);
  const double exported = take_rate(header.take, "Export Frame Rate"),
               captured = take_rate(header.take, "Capture Frame Rate");
  file.rate = exported > 0 ? exported : captured;
  file.frames = std::move(rows.frames);
  file.positions = std::move(rows.positions);
  file.notes = notes_on_unread(columns);
  file.notes.insert(file.notes.end(), rows.notes.begin(), rows.notes.end());
  take_times(std::move(rows.second), {{"Export Frame Rate", exported}, {"Capture Frame Rate", captured}}, file);
  if (const auto announced = parse_integer(take_value(header.take, "Total Exported Frames")))
    note_on_length("Total Exported Frames", *announced, file);
  return file;
}

}  // namespace pithball::datasets
