#include "datasets/capture/qualisys_reader.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "datasets/capture/marker_rows.hpp"
#include "datasets/text/foreign_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

using Cells = std::vector<std::string_view>;
using Lines = std::vector<std::string_view>;

constexpr const char* export_again = "in QTM, export the 3D data again";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

/// Whether a cell is a key of the header, such as "NO_OF_FRAMES": keys contain neither lowercase letters nor spaces.
bool is_header_key(std::string_view cell) {
  return cell.size() > 3 && std::isupper(static_cast<unsigned char>(cell[0])) != 0 &&
         std::ranges::all_of(cell,
                             [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; });
}

char separator_after_key(std::string_view line) {
  const std::size_t at = line.find_first_of("\t,;");
  return at == std::string_view::npos ? '\t' : line[at];
}

/// The cells of a line without empty ones at its end.
Cells filled_cells(std::string_view line, char separator) {
  Cells cells = split_cells(line, separator);
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

bool equals(std::string_view cell, std::string_view word) {
  return std::ranges::equal(cell, word, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

/// The lines above the data: keys with their values.
class QualisysHeader {
 public:
  QualisysHeader(const Lines& lines, const std::string& path) : path_(path), separator_(separator_after_key(lines[0])) {
    for (; end_ < lines.size(); ++end_) {
      const Cells cells = filled_cells(lines[end_], separator_);
      if (cells.empty()) continue;
      if (!is_header_key(cells[0]) || equals(cells[0], "frame") || equals(cells[0], "time")) break;
      values_.try_emplace(std::string(cells[0]), Value{end_, {cells.begin() + 1, cells.end()}});  // EVENT repeats
    }
    require_markers();
  }

  char separator() const { return separator_; }
  std::size_t end() const { return end_; }  ///< the line below the header

  /// Returns the only value of a key; empty if there is none.
  std::string_view value(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() || found->second.cells.empty() ? std::string_view() : found->second.cells[0];
  }

  Index markers() const { return parse_integer(value("NO_OF_MARKERS")).value_or(0); }

  /// Empty if the file does not list them.
  std::vector<std::string> names() const {
    const auto found = values_.find("MARKER_NAMES");
    if (found == values_.end()) return {};
    return {found->second.cells.begin(), found->second.cells.end()};
  }

  /// "path:line" of a key.
  std::string where(const std::string& key) const {
    const auto found = values_.find(key);
    return place(path_, found == values_.end() ? 0 : found->second.line);
  }

 private:
  struct Value {
    std::size_t line = 0;
    Cells cells;
  };

  void require_markers() const {
    const std::string data(value("DATA_INCLUDED"));
    if ((!data.empty() && data != "3D") || !values_.contains("NO_OF_MARKERS"))
      throw InvalidArgument({where("DATA_INCLUDED"), "Qualisys file", "must hold the 3D data of markers",
                             data.empty() ? "no NO_OF_MARKERS" : data + " data", export_again});
    if (markers() < 1)
      throw InvalidArgument({where("NO_OF_MARKERS"), "NO_OF_MARKERS", "must be a whole number > 0",
                             "'" + std::string(value("NO_OF_MARKERS")) + "'", export_again});
    if (const std::vector<std::string> listed = names();
        !listed.empty() && static_cast<Index>(listed.size()) != markers())
      throw InvalidArgument({where("NO_OF_MARKERS"), "NO_OF_MARKERS",
                             "must be the " + std::to_string(listed.size()) + " of MARKER_NAMES",
                             std::to_string(markers()), "the file is damaged: " + std::string(export_again)});
  }

  const std::string& path_;
  char separator_;
  std::size_t end_ = 0;
  std::map<std::string, Value> values_;
};

/// "A" of the column "A X"; empty if the name has another form.
std::string_view marker_of_column(std::string_view column) {
  return column.size() > 2 && column.ends_with(" X") ? trim(column.substr(0, column.size() - 2)) : std::string_view();
}

/// The columns according to the line of their names. Without such a line, rows contain frame, time and positions, or
/// only positions.
class QualisysColumns {
 public:
  QualisysColumns(const Lines& lines, std::size_t end, const QualisysHeader& header, const std::string& path)
      : first_row_(header.end()) {
    const auto coordinates = 3 * static_cast<std::size_t>(header.markers());
    Cells cells = first_row_ < end ? filled_cells(lines[first_row_], header.separator()) : Cells();
    const bool has_names =
        std::ranges::none_of(cells, [](std::string_view cell) { return parse_number(cell).has_value(); });
    std::size_t width = cells.size();
    if (has_names && first_row_ < end) {
      ++first_row_;
    } else {
      for (std::size_t n = first_row_; n < end; ++n)
        width = std::max(width, filled_cells(lines[n], header.separator()).size());
      if (width == coordinates + 2) cells = {"Frame", "Time"};
    }
    const bool fits = has_names ? width >= coordinates : width == coordinates || width == coordinates + 2;
    if (!fits || first_row_ >= end)
      throw InvalidArgument(
          {place(path, std::min(header.end(), lines.size() - 1)), "columns",
           "must be frame, time and x, y, z of " + std::to_string(header.markers()) + " markers, with rows of data",
           first_row_ >= end ? "no rows" : std::to_string(width) + " columns", export_again});
    layout_.separator = header.separator();
    layout_.width = width;
    for (std::size_t k = 0; k < width - coordinates && k < cells.size(); ++k) {
      if (equals(cells[k], "frame")) layout_.frame = k;
      if (equals(cells[k], "time")) layout_.second = k;
    }
    for (std::size_t x = width - coordinates; x < width; x += 3) layout_.first_of_xyz.push_back(x);
    if (has_names) names_ = names_in(cells, place(path, first_row_ - 1), header);
  }

  const RowLayout& layout() const { return layout_; }
  std::size_t first_row() const { return first_row_; }
  const std::vector<std::string>& names() const { return names_; }  ///< empty where columns have none

 private:
  /// The markers named by the columns, which must match the header.
  std::vector<std::string> names_in(const Cells& cells, const std::string& where, const QualisysHeader& header) const {
    std::vector<std::string> found;
    const std::vector<std::string> listed = header.names();
    for (std::size_t m = 0; m < layout_.first_of_xyz.size(); ++m) {
      found.emplace_back(marker_of_column(cells[layout_.first_of_xyz[m]]));
      if (!found[m].empty() && !listed.empty() && found[m] != listed[m])
        throw InvalidArgument({where, "columns", "must be in the order of MARKER_NAMES, with '" + listed[m] + "' here",
                               "'" + found[m] + "'", std::string("the file is damaged: ") + export_again});
    }
    return found;
  }

  RowLayout layout_;
  std::size_t first_row_;
  std::vector<std::string> names_;
};

}  // namespace

bool is_qualisys(std::string_view head) {
  const auto lines = split_lines(without_mark(head));
  if (lines.empty()) return false;
  const std::string_view key = split_cells(lines[0], separator_after_key(lines[0]))[0];
  const bool is_of_qtm = key == "NO_OF_FRAMES" || key == "FILE_VERSION" || key == "TOT_NO_OF_CHAN";
  return is_of_qtm && key.size() < lines[0].size() && head.find("DATA_INCLUDED") != std::string_view::npos;
}

MarkerFile read_qualisys(const std::string& path) {
  const std::string text = read_plain_text(path, FileUse::Recording);
  const auto lines = split_lines(text);
  const QualisysHeader header(lines, path);
  std::size_t end = lines.size();
  while (end > header.end() && filled_cells(lines[end - 1], header.separator()).empty()) --end;
  const QualisysColumns columns(lines, end, header, path);
  check_samples(end - columns.first_row(), static_cast<std::size_t>(header.markers()), path);
  MarkerRows rows = read_marker_rows(lines, columns.first_row(), end, columns.layout(), path);
  MarkerFile file;
  file.path = path;
  file.unit_name = "mm";
  file.unit = find_length_unit(file.unit_name);
  file.markers = header.names().empty() ? columns.names() : header.names();
  file.markers.resize(static_cast<std::size_t>(header.markers()));
  file.rate = parse_number(header.value("FREQUENCY")).value_or(0);
  file.frames = std::move(rows.frames);
  file.positions = std::move(rows.positions);
  file.notes = std::move(rows.notes);
  take_times(std::move(rows.second), {{"FREQUENCY", file.rate}}, file);
  if (const auto announced = parse_integer(header.value("NO_OF_FRAMES")))
    note_on_length("NO_OF_FRAMES", *announced, file);
  return file;
}

}  // namespace pithball::datasets
