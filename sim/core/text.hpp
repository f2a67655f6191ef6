#pragma once
#include <locale.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::sim {

/// While this object exists, C functions that the calling thread calls read and write numbers with a decimal point. The
/// process around us may have another locale, with a comma: a program with windows, or a notebook.
class CLocale {
 public:
  CLocale() : outer_(uselocale(plain())) {}
  ~CLocale() { uselocale(outer_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  static locale_t plain() {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
  }
  locale_t outer_;
};

}  // namespace pithball::sim

namespace pithball {

/// A number for messages: as short as possible, at most six digits ("-2", "1e-09", "nan").
std::string to_text(double value);

/// Text formatted as by std::printf, of any length.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// Whether the text is valid UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

/// Whether it is UTF-8 without control characters, including line ends and tabs.
bool is_printable(std::string_view text);

/// The text in a form safe for terminals: control characters and invalid UTF-8 are escaped as "\x1b". Line ends and
/// tabs stay.
std::string printable(std::string_view text);

/// The text as part of a sentence: on one line, printable, and shortened in the middle by "…" if it has more than
/// `longest` characters.
std::string excerpt(std::string_view text, std::size_t longest = 100);

/// "a, b, c"
std::string joined(const std::vector<std::string>& words);

/// A list in a sentence: "x, y and z".
std::string in_words(const std::vector<std::string>& words);

}  // namespace pithball
