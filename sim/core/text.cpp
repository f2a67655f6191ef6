#include "sim/core/text.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <vector>

namespace pithball {
namespace {

unsigned byte_at(std::string_view text, std::size_t place) { return static_cast<unsigned char>(text[place]); }

/// Returns the length in bytes of a UTF-8 character with this first byte; 0 if no character begins with it.
std::size_t announced_length(unsigned first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

/// Returns the length in bytes of the UTF-8 character at the beginning of a nonempty text; 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const std::size_t length = announced_length(first);
  if (length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte_at(text, k) & 0xC0) != 0x80) return 0;
  // Rejects overlong encodings, surrogates, and code points beyond U+10FFFF.
  const unsigned second = length > 2 ? byte_at(text, 1) : 0;
  const bool forbidden = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                         (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return forbidden ? 0 : length;
}

/// Whether a character is one of the control characters U+0000 to U+001F and U+007F to U+009F.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byte_at(character, 1) < 0xA0);
}

std::string escaped(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const unsigned byte = byte_at(bytes, k);
    if (byte == '\n')
      text += "\\n";
    else
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

enum class Kind { Shown, Control, NoCharacter };

/// Calls take(character, kind) for each character of a text, and for each byte that is not part of a valid one.
template <class Take>
void for_each_character(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    take(character, length == 0 ? Kind::NoCharacter : is_control(character) ? Kind::Control : Kind::Shown);
    text.remove_prefix(character.size());
  }
}

}  // namespace

std::string to_text(double value) { return formatted("%g", value); }

std::string formatted(const char* format, ...) {
  const sim::CLocale plain;
  std::va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  std::string text(static_cast<std::size_t>(std::max(0, std::vsnprintf(nullptr, 0, format, values))), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(values);
  return text;
}

bool is_utf8(std::string_view text) {
  bool all = true;
  for_each_character(text, [&](std::string_view, Kind kind) { all = all && kind != Kind::NoCharacter; });
  return all;
}

bool is_printable(std::string_view text) {
  bool all = true;
  for_each_character(text, [&](std::string_view, Kind kind) { all = all && kind == Kind::Shown; });
  return all;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for_each_character(text, [&](std::string_view character, Kind kind) {
    const bool layout = character == "\n" || character == "\t";
    shown += kind == Kind::Shown || layout ? std::string(character) : escaped(character);
  });
  return shown;
}

std::string excerpt(std::string_view text, std::size_t longest) {
  std::string shown;
  std::vector<std::size_t> ends;  // end of each character in `shown`
  for_each_character(text, [&](std::string_view character, Kind kind) {
    shown += kind == Kind::Shown ? std::string(character) : escaped(character);
    ends.push_back(shown.size());
  });
  if (ends.size() <= longest) return shown;
  const std::size_t last = longest / 3, first = longest - 1 - last;
  return shown.substr(0, ends[first - 1]) + "…" + shown.substr(ends[ends.size() - last - 1]);
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string in_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

}  // namespace pithball
