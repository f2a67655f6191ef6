#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace pithball {

/// A number as people write it in messages: shortest of up to six digits ("-2", "1e-09", "nan").
inline std::string to_text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

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
