#include "datasets/capture/motive_reader.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "datasets/capture/marker_clock.hpp"
#include "datasets/capture/marker_rows.hpp"
#include "datasets/capture/motive_frames.hpp"
#include "datasets/text/foreign_file.hpp"
#include "datasets/text/nearest.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

using HeaderRow = std::vector<std::string>;

constexpr std::string_view first_words = "Format Version";
constexpr const char* export_markers = "in Motive, export the take with its markers as CSV again";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

/// The cells of a line of the header, which may be quoted.
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

/// The kinds of positions that a take can have of one marker.
bool is_marker_type(const std::string& type) { return type.ends_with("marker"); }

/// The rows above the data, and what their columns are.
class MotiveHeader {
 public:
  MotiveHeader(const std::vector<std::string_view>& lines, const std::string& path) : path_(path) {
    const std::size_t after = lines[0].find_first_of(",;\t");
    if (!lines[0].starts_with(first_words) || after == std::string_view::npos)
      throw InvalidArgument({path + ":1", "Motive file", "must begin with Format Version", "something else",
                             "check the file extension, or give its format"});
    separator_ = lines[0][after];
    take_ = header_row(lines[0], separator_);
    std::vector<HeaderRow> above;
    for (line_ = 1; line_ < lines.size(); ++line_) {
      axes_ = header_row(lines[line_], separator_);
      if (in_small_letters(axes_[0]) == "frame") break;
      if (std::ranges::any_of(axes_, [](const std::string& cell) { return !cell.empty(); })) above.push_back(axes_);
    }
    constexpr std::size_t most_rows = 12;  // above the axes; there are three to five
    if (line_ >= lines.size() || above.size() > most_rows || above.size() < 3)
      throw InvalidArgument({path, "Motive file", "must have rows of types, names and axes above its data",
                             line_ >= lines.size() ? "no row that begins with Frame" : "others", export_markers});
    assign(above);
    choose_markers();
  }

  /// The value beside a key of the first line; empty if there is none.
  std::string value(const std::string& key) const {
    const auto found = std::ranges::find(take_, key);
    return found == take_.end() || found + 1 == take_.end() ? std::string() : *(found + 1);
  }
  double rate(const std::string& key) const { return parse_number(value(key)).value_or(0); }

  std::size_t first_row() const { return line_ + 1; }
  const std::vector<std::string>& markers() const { return markers_; }
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (!expected_.empty())
      notes.push_back("positions that Motive expects of " + std::to_string(expected_.size()) +
                      (expected_.size() == 1 ? " marker" : " markers") + " are not read: the measured ones are");
    if (!bodies_.empty())
      notes.push_back("positions and rotations of " + std::to_string(bodies_.size()) +
                      (bodies_.size() == 1 ? " body" : " bodies") + " are not read: " + listed(bodies_));
    return notes;
  }

  RowLayout layout() const {
    RowLayout layout{separator_, axes_.size(), 0, {}, first_of_xyz_};
    while (layout.width > 1 && axes_[layout.width - 1].empty()) --layout.width;
    if (in_small_letters(cell_of(axes_, 1)).starts_with("time")) layout.second = 1;
    return layout;
  }

 private:
  static std::string listed(const std::set<std::string>& names) {
    constexpr std::size_t most = 5;
    std::vector<std::string> first(names.begin(), std::next(names.begin(), std::min(most, names.size())));
    if (names.size() > most) first.emplace_back("…");
    return joined(first);
  }

  /// Which row has the types and which the names; positions and rotations are told right above the axes.
  void assign(const std::vector<HeaderRow>& above) {
    quantities_ = above.back();
    for (std::size_t r = 0; r + 1 < above.size(); ++r) {
      const std::string label = in_small_letters(cell_of(above[r], 1));
      const bool is_types = label.empty() && std::ranges::any_of(above[r], [](const std::string& cell) {
                              const std::string type = in_small_letters(cell);
                              return is_marker_type(type) || type == "rigid body" || type == "bone";
                            });
      if (types_.empty() && (label == "type" || is_types)) {
        types_ = above[r];
        if (names_.empty()) names_ = above[r + 1];
      }
      if (label == "name") names_ = above[r];
    }
  }

  void choose_markers() {
    bool measured = false;
    for (const std::string& type : types_) measured = measured || in_small_letters(type) == "marker";
    for (std::size_t k = 1; k < axes_.size(); ++k) {
      const std::string type = in_small_letters(cell_of(types_, k)), name = cell_of(names_, k);
      if (type.empty() || type == "type") continue;
      const bool is_position = in_small_letters(cell_of(quantities_, k)) == "position";
      if (!is_marker_type(type)) {
        bodies_.insert(name);
        body_column_ = body_column_ == 0 && is_position ? k + 1 : body_column_;
      } else if (measured && type != "marker") {
        expected_.insert(name);
      } else if (is_position && in_small_letters(axes_[k]) == "x") {
        require_triple(k, name);
        first_of_xyz_.push_back(k);
        markers_.push_back(name);
      }
    }
    if (markers_.empty())
      throw InvalidArgument(
          {place(path_, line_), "Motive file", "must have the positions of markers",
           bodies_.empty() ? "none" : "only those of bodies: " + listed(bodies_),
           export_markers + (body_column_ == 0 ? std::string() : "; or take a body for a point: " + as_table())});
  }

  /// The keys that read the position of the first body.
  std::string as_table() const {
    const auto column = [&](std::size_t k) { return "\"#" + std::to_string(body_column_ + k) + "\""; };
    return "`header_line: " + std::to_string(line_ + 1) + "`, `columns: {time: \"#2\", points: [[" + column(0) + ", " +
           column(1) + ", " + column(2) + "]]}`";
  }

  void require_triple(std::size_t k, const std::string& name) const {
    for (const std::size_t a : {1U, 2U})
      if (in_small_letters(cell_of(axes_, k + a)) != (a == 1 ? "y" : "z") || cell_of(names_, k + a) != name)
        throw InvalidArgument({place(path_, line_), "axes", "must be X, Y, Z of each marker, with '" + name + "' here",
                               "'" + cell_of(axes_, k + a) + "' of '" + cell_of(names_, k + a) + "'", export_markers});
  }

  const std::string& path_;
  char separator_ = ',';
  std::size_t line_ = 0;  // of the axes
  HeaderRow take_, types_, names_, quantities_, axes_;
  std::vector<std::size_t> first_of_xyz_;
  std::vector<std::string> markers_;
  std::set<std::string> expected_, bodies_;  // names of what is not read
  std::size_t body_column_ = 0;              // number of the first body's column of x, from 1; 0: there is none
};

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
  const MotiveHeader header(lines, path);
  const RowLayout layout = header.layout();
  std::size_t end = lines.size();
  while (end > header.first_row() && lines[end - 1].find_first_not_of(",;\t ") == std::string_view::npos) --end;
  check_samples(end - header.first_row(), header.markers().size(), path);
  MarkerRows rows = read_marker_rows(lines, header.first_row(), end, layout, path);
  MarkerFile file;
  file.path = path;
  file.markers = header.markers();
  file.unit_name = header.value("Length Units");
  file.unit = find_length_unit(file.unit_name);
  const double exported = header.rate("Export Frame Rate"), captured = header.rate("Capture Frame Rate");
  file.rate = exported > 0 ? exported : captured;
  file.frames = std::move(rows.frames);
  file.positions = std::move(rows.positions);
  file.notes = header.notes();
  file.notes.insert(file.notes.end(), rows.notes.begin(), rows.notes.end());
  take_times(std::move(rows.second), {{"Export Frame Rate", exported}, {"Capture Frame Rate", captured}}, file);
  if (const auto announced = parse_integer(header.value("Total Exported Frames")))
    note_on_length("Total Exported Frames", *announced, file);
  return file;
}

}  // namespace pithball::datasets
