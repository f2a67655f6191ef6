#include "datasets/text/text_scan.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

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

namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  // from_chars rejects the plus sign that some programs write.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) { return parse<double>(text); }

std::optional<sim::Index> parse_integer(std::string_view text) { return parse<sim::Index>(text); }

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\v\f";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\r\v\f";
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

std::string read_text_file(const std::string& path, std::string_view kind, std::uint64_t most) {
  const std::string what = std::string(kind) + " file";
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::none)  // status unknown: the folder may be unreadable
    throw InvalidArgument({path, what, "must be readable", failure.message(), "check its permissions"});
  if (!std::filesystem::exists(status))
    throw InvalidArgument(
        {path, what, "must exist", "no such file", "check the path (relative paths start at the current folder)"});
  if (!std::filesystem::is_regular_file(status))
    throw InvalidArgument({path, what, "must be a regular file", "a folder, pipe or device", "give a regular file"});
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure) throw InvalidArgument({path, what, "must be readable", failure.message(), "check its permissions"});
  if (size > most)
    throw InvalidArgument({path, what, "must have at most " + std::to_string(most) + " bytes", std::to_string(size),
                           "check that it is the right file, or reduce its size"});
  std::string text(size, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in.is_open() || in.bad())
    throw InvalidArgument({path, what, "must be readable", in.is_open() ? "a read error" : std::strerror(errno),
                           "check its permissions"});
  text.resize(in.gcount());
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (is_utf16(text)) text = utf16_to_utf8(text, path);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InvalidArgument({path, what, "must not be empty", "no content", "save or export the file again"});
  return text;
}

std::string read_beginning(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::string head(most, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(most));
  head.resize(in.gcount());
  return head;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

std::string place(const std::string& path, std::size_t line) { return path + ":" + std::to_string(line + 1); }

std::string with_utf8(std::string text) {
  const auto is_tail = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  const bool is_ascii = std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
  if (is_ascii) return text;
  bool is_utf8 = true;
  for (std::size_t at = 0; at < text.size() && is_utf8;) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t tails = byte < 0x80U                    ? 0
                              : byte >= 0xC2U && byte < 0xE0U ? 1
                              : (byte & 0xF0U) == 0xE0U       ? 2
                              : byte >= 0xF0U && byte < 0xF5U ? 3
                                                              : 4;
    is_utf8 = tails < 4;
    for (std::size_t k = 1; k <= tails && is_utf8; ++k) is_utf8 = is_tail(at + k);
    at += tails + 1;
  }
  if (is_utf8) return text;
  std::string converted;
  converted.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80U) {
      converted += c;
    } else {
      converted += static_cast<char>(0xC0U | (byte >> 6U));
      converted += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return converted;
}

}  // namespace pithball::datasets
