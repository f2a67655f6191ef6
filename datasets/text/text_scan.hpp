#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// Whether the bytes begin with a UTF-16 byte order mark.
bool is_utf16(std::string_view bytes);

/// The text of such bytes in UTF-8, without the mark (The Unicode Standard 15, section 3.9). An incomplete character at
/// the end is dropped. Throws InvalidArgument at `where` on an unpaired surrogate.
std::string utf16_to_utf8(std::string_view bytes, const std::string& where);

/// The whole of `text` as a decimal number ("1e-3", "+2", "nan", "inf"); empty if it contains anything else.
/// Independent of the locale.
std::optional<double> parse_number(std::string_view text);

/// The whole of `text` as a decimal integer; empty if it contains anything else.
std::optional<sim::Index> parse_integer(std::string_view text);

/// `text` without blanks, tabs and carriage returns at its ends.
std::string_view trim(std::string_view text);

/// The runs of non-blank characters of a line.
std::vector<std::string_view> split_words(std::string_view line);

/// "path:line" for a message; `line` counts from 0, the text from 1.
std::string place(const std::string& path, std::size_t line);

/// Limit of a text read into memory [bytes].
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{256} << 20;
/// Limit of a binary recording [bytes].
inline constexpr std::uint64_t most_recording_bytes = std::uint64_t{1} << 30;

/// The bytes of a file without a leading UTF-8 byte order mark; UTF-16 with a byte order mark is converted to UTF-8.
/// Throws InvalidArgument if the file is missing, not a regular file (a folder, a pipe, a device), larger than `most`
/// bytes, unreadable or empty. `kind` completes the message ("mesh", "recording").
std::string read_text_file(const std::string& path, std::string_view kind, std::uint64_t most = most_text_bytes);

/// The first `most` bytes of a file, or all if it is shorter; empty if it is not a regular file or cannot be read.
std::string read_beginning(const std::string& path, std::size_t most);

/// The text itself if it is UTF-8, or else with each byte beyond ASCII taken as a Latin-1 character, as older programs
/// write "µ" and "°".
std::string with_utf8(std::string text);

/// The lines of a text without their line ends (LF or CRLF); views into `text`.
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace pithball::datasets
