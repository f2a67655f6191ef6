#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pithball {

/// A number as people write it in messages: shortest of up to six digits ("-2", "1e-09", "nan").
std::string to_text(double value);

/// Text by a format of std::printf, however long.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// Whether all of it is UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

/// Whether it is UTF-8 without control characters, line ends and tabs included.
bool is_printable(std::string_view text);

/// The text as a terminal may show it: control characters, which it would obey, and bytes that are no UTF-8 as "\x1b".
/// Line ends and tabs stay.
std::string printable(std::string_view text);

/// The text as part of a sentence: in one line, printable, and of more than `longest` characters beginning and end
/// with "…" between them.
std::string excerpt(std::string_view text, std::size_t longest = 100);

}  // namespace pithball
