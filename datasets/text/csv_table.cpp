#include "datasets/text/csv_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "datasets/text/foreign_file.hpp"
#include "datasets/text/nearest.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

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

/// The first line from `line` on that may hold column names or data: blank ones, comments below them and, in a table
/// without names, remarks with '%' (COMSOL, MATLAB) are skipped.
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
    : path_(path), text_(read_plain_text(path, FileUse::Recording, header_line > 1 || first_data_line > 0)) {
  const auto lines = split_lines(text_);
  while (comment_lines_ < lines.size() && lines[comment_lines_].starts_with('#')) ++comment_lines_;
  std::size_t end = lines.size();
  while (end > comment_lines_ && (trim(lines[end - 1]).empty() || lines[end - 1].starts_with('%'))) --end;

  const std::size_t header =
      skip_blank(lines, comment_lines_ + std::max<Index>(header_line, 1) - 1, end, header_line > 0);
  const std::size_t first =
      first_data_line > 0 ? comment_lines_ + first_data_line - 1 : (header_line > 0 ? header + 1 : header);
  if (header_line < 0 || first_data_line < 0 || (header_line > 0 && first <= header))
    throw InvalidArgument({path, "header_line and first_data_line", "must be >= 0 and the data must follow the header",
                           std::to_string(header_line) + " and " + std::to_string(first_data_line),
                           "count lines from 1 after the '#' comments"});
  if (first >= end)
    throw InvalidArgument({place(path, lines.size() - 1), "table", "must have rows of data", "none after the header",
                           "check that the recording was exported"});
  separator_ = find_separator(lines[header_line > 0 ? header : first]);
  if (header_line > 0) line_of_header_ = header;
  if (header_line > 0)
    for (const Cell& cell : split(lines[header], header, true)) names_.emplace_back(cell.text);
  for (std::size_t n = first; n < end; ++n) {
    if (lines[n].starts_with('%')) continue;  // a remark of COMSOL or MATLAB between the rows
    rows_.push_back(split(lines[n], n, false));
    line_of_row_.push_back(n);
    for (const Cell& cell : rows_.back()) decimal_sign_.see(cell.text);
    if (names_.empty())
      for (std::size_t k = 0; k < rows_.front().size(); ++k)
        names_.push_back(std::string("#").append(std::to_string(k + 1)));
    if (rows_.back().size() != names_.size()) {
      const bool is_first = header_line > 0 && n == first;
      const bool has_commas = separator_ == ',' && is_first && rows_.back().size() == 2 * names_.size();
      throw InvalidArgument(
          {place(path, n), "row", "must have " + std::to_string(names_.size()) + " cells",
           std::to_string(rows_.back().size()),
           has_commas ? "if numbers have decimal commas, export the table again with decimal points"
           : is_first ? "if line " + std::to_string(header + 1) +
                            " is a title and not the column names, give `header_line`; otherwise complete the line"
                      : "complete or remove the line; leave the cell of a missing sample empty"});
    }
  }
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
  if (!value && row == 0) {  // units, or the column names: the data begin further down
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
