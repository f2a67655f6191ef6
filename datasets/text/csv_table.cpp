#include "datasets/text/csv_table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "datasets/text/foreign_file.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "datasets/text/unit_name.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// Returns the number, with its only comma read as a decimal point; empty if the cell is not such a number.
std::optional<double> number_with_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || cell.find('.') != std::string_view::npos) return {};
  std::string pointed(cell);
  pointed[comma] = '.';
  return parse_number(pointed);
}

/// Whether the comma of a number may separate thousands: "1,234", "-12,500".
bool may_part_thousands(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  const std::string_view before = number.substr(0, number.find(',')), behind = number.substr(before.size() + 1);
  const auto are_digits = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  return !before.empty() && before.size() <= 3 && before[0] != '0' && behind.size() == 3 && are_digits(before) &&
         are_digits(behind);
}

}  // namespace

void DecimalSign::see(std::string_view cell) {
  const bool has_point = cell.find('.') != std::string_view::npos, has_comma = cell.find(',') != std::string_view::npos;
  if (has_point && !has_comma && point_.empty() && parse_number(cell)) point_ = cell;
  if (has_comma && !certain_comma_) certain_comma_ = number_with_comma(cell) && !may_part_thousands(cell);
}

std::optional<double> DecimalSign::read(std::string_view cell) const {
  if (const auto number = parse_number(cell)) return number;
  return point_.empty() && certain_comma_ ? number_with_comma(cell) : std::nullopt;
}

void DecimalSign::check(std::string_view cell, const std::string& where) const {
  if (read(cell) || !number_with_comma(cell)) return;
  const std::string got = "'" + std::string(cell) + "'";
  if (!point_.empty())
    throw InvalidArgument({where, "number", "must have the decimal sign of the others",
                           got + " and elsewhere '" + point_ + "'", "export the table again with decimal points"});
  throw InvalidArgument({where, "number", "must be clear",
                         got + ", whose comma may be a decimal sign or part thousands",
                         "export the table again with decimal points"});
}

namespace {

std::string join(const std::vector<std::string>& names) {
  constexpr std::size_t most = 30;
  std::string all;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) {
    if (k > 0) all += ", ";
    all.append("'").append(names[k]).append("'");
  }
  if (names.size() > most) all.append(", … (").append(std::to_string(names.size())).append(" in all)");
  return all;
}

/// Returns the first line from `line` on that may contain column names or data. Skips blank lines, comments below them
/// and, in a table without names, remarks with '%' (COMSOL, MATLAB).
std::size_t skip_blank(const std::vector<std::string_view>& lines, std::size_t line, std::size_t end, bool has_names) {
  const std::size_t given = line;
  while (line < end && (trim(lines[line]).empty() || (line > given && lines[line].starts_with('#')) ||
                        (!has_names && lines[line].starts_with('%'))))
    ++line;
  return line;
}

}  // namespace

char find_separator(std::string_view line) {
  bool quoted = false;
  bool tab = false, semicolon = false, comma = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    tab |= c == '\t';
    semicolon |= c == ';';
    comma |= c == ',';
  }
  if (tab) return '\t';
  if (semicolon) return ';';
  return comma ? ',' : ' ';
}

CsvTable::CsvTable(const std::string& path, Index header_line, Index first_data_line)
    : path_(path), text_(with_utf8(read_plain_text(path, FileUse::Recording, header_line > 1 || first_data_line > 0))) {
  const auto lines = split_lines(text_);
  const Extent extent = find_extent(lines, header_line, first_data_line);
  if (names_.empty() && header_line > 0) {
    separator_ = find_separator(lines[extent.header]);
    line_of_header_ = extent.header;
    for (const Cell& cell : split(lines[extent.header], extent.header, true)) names_.emplace_back(cell.text);
    for (std::size_t n = extent.header + 1; n < extent.first && units_.empty(); ++n) takes_units(lines[n], n);
  } else if (names_.empty()) {
    separator_ = find_separator(lines[extent.first]);
  }
  read_rows(lines, extent);
}

CsvTable::Extent CsvTable::find_extent(const std::vector<std::string_view>& lines, Index header_line,
                                       Index first_data_line) {
  while (comment_lines_ < lines.size() && lines[comment_lines_].starts_with('#')) ++comment_lines_;
  std::size_t end = lines.size();
  while (end > comment_lines_ && (trim(lines[end - 1]).empty() || lines[end - 1].starts_with('%'))) --end;
  const std::size_t header =
      skip_blank(lines, comment_lines_ + std::max<Index>(header_line, 1) - 1, end, header_line > 0);
  if (header_line == 1 && first_data_line == 0 && header < end && takes_names_of_comment(lines, header))
    return {header, header, end};
  const std::size_t first =
      first_data_line > 0 ? comment_lines_ + first_data_line - 1 : (header_line > 0 ? header + 1 : header);
  if (header_line < 0 || first_data_line < 0 || (header_line > 0 && first <= header))
    throw InvalidArgument({path_, "header_line and first_data_line", "must be >= 0 and the data must follow the header",
                           std::to_string(header_line) + " and " + std::to_string(first_data_line),
                           "count lines from 1 after the '#' comments"});
  if (first >= end)
    throw InvalidArgument({place(path_, lines.size() - 1), "table", "must have rows of data", "none after the header",
                           "check that the recording was exported"});
  return {header, first, end};
}

/// Takes the names from the comment above if the first line consists of numbers; throws InvalidArgument if there are
/// none. Returns false for any other line.
bool CsvTable::takes_names_of_comment(const std::vector<std::string_view>& lines, std::size_t first) {
  separator_ = find_separator(lines[first]);
  const std::vector<Cell> numbers = split(lines[first], first, false);
  DecimalSign sign;
  for (const Cell& cell : numbers) sign.see(cell.text);
  const auto is_number = [&](const Cell& cell) { return sign.read(cell.text).has_value(); };
  if (numbers.size() < 2 || !std::ranges::all_of(numbers, is_number)) return false;
  if (comment_lines_ > 0) {
    std::string_view comment = lines[comment_lines_ - 1];
    comment.remove_prefix(std::min(comment.find_first_not_of('#'), comment.size()));
    const std::vector<Cell> words = split(trim(comment), comment_lines_ - 1, true);
    if (words.size() == numbers.size() && std::ranges::none_of(words, is_number)) {
      for (const Cell& word : words) names_.emplace_back(trim(word.text));
      line_of_header_ = comment_lines_ - 1;
      return true;
    }
  }
  throw InvalidArgument({place(path_, first), "header", "must hold the names of the columns", "numbers",
                         "give `header_line: 0` and the columns by number: columns: {time: \"#1\", points: [[\"#2\", "
                         "\"#3\"]]}"});
}

/// Whether a line consists of units only, which are then stored.
bool CsvTable::takes_units(std::string_view line, std::size_t line_number) {
  std::vector<std::string> units;
  std::size_t count = 0;
  for (const Cell& cell : split(line, line_number, false)) {
    std::string_view word = trim(cell.text);
    if (word.size() > 2 && (word.front() == '(' || word.front() == '[')) word = trim(word.substr(1, word.size() - 2));
    if (!word.empty() && !find_unit(word)) return false;
    count += word.empty() ? 0 : 1;
    units.emplace_back(word);
  }
  if (count < 2 || units.size() > names_.size()) return false;
  units.resize(names_.size());
  units_ = std::move(units);
  return true;
}

void CsvTable::read_rows(const std::vector<std::string_view>& lines, const Extent& extent) {
  std::size_t first = extent.first;
  if (line_of_header_ && units_.empty() && first + 1 < extent.end && takes_units(lines[first], first)) ++first;
  trim_separators(lines, {extent.header, first, extent.end});
  for (std::size_t n = first; n < extent.end; ++n)
    if (!lines[n].starts_with('%'))  // a remark of COMSOL or MATLAB between the rows
      add_row(split(lines[n], n, false), n, n == first);
}

/// The last name is empty if the header, or every line, ends in a separator; such a name is dropped if no row has a
/// cell for it.
void CsvTable::trim_separators(const std::vector<std::string_view>& lines, const Extent& extent) {
  if (!line_of_header_ || separator_ == ' ') return;
  while (names_.size() > 1 && trim(names_.back()).empty()) {
    for (std::size_t n = extent.first; n < extent.end; ++n) {
      const std::vector<Cell> cells = split(lines[n], n, false);
      if (cells.size() >= names_.size() && !cells[names_.size() - 1].text.empty()) return;
    }
    names_.pop_back();
  }
}

void CsvTable::add_row(std::vector<Cell> cells, std::size_t line, bool is_first) {
  if (names_.empty())
    for (std::size_t k = 0; k < cells.size(); ++k) names_.push_back(std::string("#").append(std::to_string(k + 1)));
  while (cells.size() > names_.size() && cells.back().text.empty()) cells.pop_back();
  // A spreadsheet that saves a tab-separated table omits empty cells at the end of a line.
  if (separator_ == '\t' && cells.size() > 1)
    while (cells.size() < names_.size()) cells.push_back({{}, cells.back().column});
  for (const Cell& cell : cells) decimal_sign_.see(cell.text);
  if (cells.size() != names_.size()) {
    const bool has_commas = separator_ == ',' && is_first && line_of_header_ && cells.size() == 2 * names_.size();
    throw InvalidArgument({place(path_, line), "row", "must have " + std::to_string(names_.size()) + " cells",
                           std::to_string(cells.size()),
                           has_commas ? "if numbers have decimal commas, export the table again with decimal points"
                           : is_first && line_of_header_
                               ? "if line " + std::to_string(*line_of_header_ + 1) +
                                     " is a title and not the column names, give `header_line`; otherwise "
                                     "complete the line"
                               : "complete or remove the line; leave the cell of a missing sample empty"});
  }
  rows_.push_back(std::move(cells));
  line_of_row_.push_back(line);
}

std::vector<CsvTable::Cell> CsvTable::split(std::string_view line, std::size_t line_number, bool keep_blanks) {
  std::vector<Cell> cells;
  if (separator_ == ' ') {
    for (const auto word : split_words(line)) cells.push_back({word, word.data() - line.data() + 1});
    return cells;
  }
  for (std::size_t at = 0;; ++at) {
    const std::size_t start = std::min(line.find_first_not_of(' ', at), line.size());
    Cell cell{{}, static_cast<Index>(at) + 1};
    if (start < line.size() && line[start] == '"') {
      std::string content;
      bool doubled = false;
      std::size_t k = start + 1;
      for (;; ++k) {
        if (k >= line.size())
          throw InvalidArgument({place(path_, line_number) + ":" + std::to_string(start + 1), "cell",
                                 "must close its quote on the same line", "the end of the line",
                                 "add the closing quote"});
        if (line[k] != '"') continue;
        if (k + 1 >= line.size() || line[k + 1] != '"') break;
        doubled = true;
        ++k;
      }
      cell.text = line.substr(start + 1, k - start - 1);
      if (doubled) {
        for (std::size_t c = 0; c < cell.text.size(); ++c) {
          content += cell.text[c];
          if (cell.text[c] == '"') ++c;
        }
        cell.text = unescaped_.emplace_back(std::move(content));
      }
      at = std::min(line.find(separator_, k), line.size());
    } else {
      const std::size_t end = std::min(line.find(separator_, at), line.size());
      cell.text = line.substr(at, end - at);
      if (!keep_blanks) cell.text = trim(cell.text);
      at = end;
    }
    cells.push_back(cell);
    if (at >= line.size()) return cells;
  }
}

const CsvTable::Cell& CsvTable::cell(Index row, Index column) const { return rows_[row][column]; }

std::string CsvTable::where(Index row) const { return place(path_, line_of_row_[row]); }

std::string CsvTable::where(Index row, Index column) const {
  return where(row) + ":" + std::to_string(cell(row, column).column);
}

std::string CsvTable::header_place() const { return line_of_header_ ? place(path_, *line_of_header_) : path_; }

bool CsvTable::has_column(std::string_view name) const {
  return std::any_of(names_.begin(), names_.end(), [&](const auto& known) { return trim(known) == trim(name); });
}

Index CsvTable::find_column(std::string_view name, const std::string& what) const {
  if (name.starts_with('#')) {
    const auto number = parse_integer(name.substr(1));
    if (number && *number >= 1 && *number <= columns()) return *number - 1;
    throw InvalidArgument({path_, what, "must be a column from #1 to #" + std::to_string(columns()),
                           "'" + std::string(name) + "'", "correct the number"});
  }
  std::vector<Index> exact, similar;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (names_[k] == name) exact.push_back(k);
    if (trim(names_[k]) == trim(name)) similar.push_back(k);
  }
  const auto& found = exact.empty() ? similar : exact;
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    std::vector<std::string> named = names_;
    std::erase_if(named, [](const std::string& known) { return trim(known).empty(); });
    const auto meant = nearest(name, named);
    throw InvalidArgument(
        {path_, what, "must be one of the columns " + join(names_), "'" + std::string(name) + "'",
         (meant ? "did you mean '" + *meant + "'? " : "") +
             std::string("if another line holds the column names, give its number as `header_line`")});
  }
  throw InvalidArgument({path_, what, "must name one column",
                         "'" + std::string(name) + "', which names " + std::to_string(found.size()),
                         "give the column's number, such as #" + std::to_string(found.front() + 1)});
}

double CsvTable::number(Index row, Index column) const {
  const std::string_view text = cell(row, column).text;
  if (text.empty() || text == "NA") return std::numeric_limits<double>::quiet_NaN();
  const auto value = decimal_sign_.read(text);
  if (!value) decimal_sign_.check(text, where(row, column));
  if (!value && row == 0) {  // units or column names: the data begin in a later line
    const std::size_t line = line_of_row_[0] - comment_lines_ + 1;
    throw InvalidArgument({where(row, column), "column '" + names_[column] + "'", "must be a finite number or empty",
                           "'" + std::string(text) + "' in the first line of data",
                           "if this line holds the column names, give `header_line: " + std::to_string(line) +
                               "`; if it holds units, `first_data_line: " + std::to_string(line + 1) +
                               "`; otherwise correct the cell, or leave it empty if the sample is missing"});
  }
  if (!value || std::isinf(*value))
    throw InvalidArgument({where(row, column), "column '" + names_[column] + "'", "must be a finite number or empty",
                           "'" + std::string(text) + "'",
                           "correct the cell, or leave it empty if the sample is missing"});
  return *value;
}

}  // namespace pithball::datasets
