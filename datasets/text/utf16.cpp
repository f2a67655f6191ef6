#include "datasets/text/utf16.hpp"

#include <cstdint>

#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

constexpr std::string_view little_mark = "\xFF\xFE", big_mark = "\xFE\xFF";

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append_utf8(std::string& text, std::uint32_t point) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto add_rest = [&](int shift) { add(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add_rest(6);
  } else {
    add(0xF0 | point >> 18);
    add_rest(12);
    add_rest(6);
  }
  add_rest(0);
}

}  // namespace

bool is_utf16(std::string_view bytes) { return bytes.starts_with(little_mark) || bytes.starts_with(big_mark); }

std::string utf16_to_utf8(std::string_view bytes, const std::string& where) {
  const bool little = bytes.starts_with(little_mark);
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(little ? first | second << 8 : first << 8 | second);
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t one = unit(at);
    if (is_high_surrogate(one) && at + 3 >= bytes.size()) break;
    const bool paired = is_high_surrogate(one) && is_low_surrogate(unit(at + 2));
    if (!paired && (is_high_surrogate(one) || is_low_surrogate(one)))
      throw InvalidArgument({where, "encoding", "must be sound UTF-16",
                             "half a character at byte " + std::to_string(at + 1), "save the file as UTF-8"});
    append_utf8(text, paired ? 0x10000 + ((one - 0xD800) << 10) + (unit(at + 2) - 0xDC00) : one);
    if (paired) at += 2;
  }
  return text;
}

}  // namespace pithball::datasets
