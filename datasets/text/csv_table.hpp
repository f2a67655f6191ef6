#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// Decimal sign of a text's numbers, determined from all of its cells: a comma if numbers contain commas and none
/// contains a point. "1,234" may also be one thousand two hundred thirty-four, so at least one number must have other
/// than three digits after its comma, or a zero before it.
class DecimalSign {
 public:
  /// Takes a cell into account, whatever its content.
  void see(std::string_view cell);

  /// The number in a cell; empty if it is not one or its comma is ambiguous.
  std::optional<double> read(std::string_view cell) const;

  /// Throws InvalidArgument at `where` if a cell is a number with an ambiguous comma.
  void check(std::string_view cell, const std::string& where) const;

 private:
  std::string point_;           ///< the first number with a point; empty: none yet
  bool certain_comma_ = false;  ///< a number whose comma cannot be a thousands separator was found
};

using sim::Index;

/// Separator of the cells of a line: the first of tab, semicolon and comma that occurs outside quotes, or a space.
char find_separator(std::string_view line);

/// A text table in memory: cells separated by commas, semicolons, tabs or spaces (determined from the first line used),
/// optionally in double quotes; LF or CRLF; with or without byte order mark; decimal points or commas (DecimalSign).
/// Leading lines that start with '#' are comments; blank lines before the header, and lines of '%' between the rows
/// and, without column names, before them are skipped. Where the first line
/// below comments holds numbers and the last comment as many words, as NumPy's savetxt writes, that comment is the
/// header. A line of units below the header is not a row. A separator at the end of the header or of rows adds no
/// column, and cells that a spreadsheet left out at the end of a line of tabs are empty. Bytes that are not UTF-8 are
/// Latin-1. Throws InvalidArgument at file:line on an empty table, an unterminated quote, a header of numbers, and a
/// row whose number of cells differs from the first row's.
class CsvTable {
 public:
  /// One cell of a row.
  struct Cell {
    std::string_view text;  ///< without quotes and surrounding spaces
    Index column = 0;       ///< start in its line, from 1
  };

  /// header_line: the line of column names, counted from 1 after the comments; 0 if there is none. first_data_line:
  /// likewise, 0 for the line after the header.
  CsvTable(const std::string& path, Index header_line, Index first_data_line);
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  /// Number of rows of data, without header and comments; at least 1.
  Index rows() const { return rows_.size(); }
  /// Number of cells in each row.
  Index columns() const { return rows_.front().size(); }
  /// Row and column from 0; valid as long as the table.
  const Cell& cell(Index row, Index column) const;
  /// "file:line" and "file:line:column", for messages.
  std::string where(Index row) const;
  /// Row and column from 0.
  std::string where(Index row, Index column) const;
  /// As given, for messages.
  const std::string& path() const { return path_; }
  /// "file:line" of the column names; the file alone if there are none.
  std::string header_place() const;

  /// Names as in the header, including spaces; without a header "#1", "#2", ….
  const std::vector<std::string>& names() const { return names_; }
  /// By column, the units in a line below the header ("mm"), without brackets; empty: there is no such line.
  const std::vector<std::string>& units() const { return units_; }
  /// Whether a column has this name, up to surrounding spaces.
  bool has_column(std::string_view name) const;
  /// The column with this name, exactly or up to surrounding spaces; "#3" is the third column whatever its name. Throws
  /// InvalidArgument listing the known names if there is none or more than one.
  Index find_column(std::string_view name, const std::string& what) const;
  /// The number in a cell: NaN if the cell is empty, nan or NA. Throws InvalidArgument at file:line:column on anything
  /// else, including infinities and ambiguous commas.
  double number(Index row, Index column) const;

 private:
  /// Lines of the text, from 0.
  struct Extent {
    std::size_t header = 0, first = 0, end = 0;
  };
  Extent find_extent(const std::vector<std::string_view>& lines, Index header_line, Index first_data_line);
  bool takes_names_of_comment(const std::vector<std::string_view>& lines, std::size_t first);
  bool takes_units(std::string_view line, std::size_t line_number);
  void read_rows(const std::vector<std::string_view>& lines, const Extent& extent);
  void trim_separators(const std::vector<std::string_view>& lines, const Extent& extent);
  void add_row(std::vector<Cell> cells, std::size_t line, bool is_first);
  std::vector<Cell> split(std::string_view line, std::size_t line_number, bool keep_blanks);

  std::string path_;
  std::string text_;
  std::deque<std::string> unescaped_;  ///< cells with doubled quotes; a deque keeps views valid
  char separator_ = ',';
  std::vector<std::string> names_;
  std::vector<std::string> units_;
  std::vector<std::vector<Cell>> rows_;
  DecimalSign decimal_sign_;
  std::size_t comment_lines_ = 0;  ///< beginning with '#', above the header
  std::optional<std::size_t> line_of_header_;
  std::vector<std::size_t> line_of_row_;
};

}  // namespace pithball::datasets
