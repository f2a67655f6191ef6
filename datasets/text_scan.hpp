#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// The whole of `text` as a decimal number ("1e-3", "+2", "nan", "inf"); empty if anything else is in it. Independent
/// of the locale.
std::optional<double> parse_number(std::string_view text);

/// The whole of `text` as a decimal integer; empty if anything else is in it.
std::optional<sim::Index> parse_integer(std::string_view text);

/// `text` without blanks, tabs and carriage returns at its ends.
std::string_view trim(std::string_view text);

/// The runs of non-blank characters of a line.
std::vector<std::string_view> split_words(std::string_view line);

/// "path:line" of a message; lines are counted from 0 here and from 1 there.
std::string place(const std::string& path, std::size_t line);

/// The member of `names` with the smallest edit distance to `name`; empty if `names` is.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

/// The bytes of a file without a leading UTF-8 byte order mark; throws InvalidArgument if it is missing, a folder,
/// unreadable or empty. `kind` completes the message ("mesh", "capture").
std::string read_text_file(const std::string& path, std::string_view kind);

/// The lines of a text without their line ends (LF or CRLF); views into `text`.
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace pithball::datasets
