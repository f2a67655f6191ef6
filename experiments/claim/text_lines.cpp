#include "experiments/claim/text_lines.hpp"

#include <algorithm>

namespace pithball::experiments {
namespace {

/// How many columns a text takes on a terminal: one for each character, which in UTF-8 may have several bytes.
std::size_t columns_of(const std::string& text) {
  return std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

}  // namespace

std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.empty() ? 0 : lines.front().size());
  for (const std::vector<std::string>& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], columns_of(line[k]));
  std::vector<std::string> texts;
  for (const std::vector<std::string>& line : lines) {
    std::string text;
    for (std::size_t k = 0; k < line.size(); ++k)
      text += line[k] + std::string(widths[k] - columns_of(line[k]) + 2, ' ');
    texts.push_back(text.erase(text.find_last_not_of(' ') + 1) + "\n");
  }
  return texts;
}

}  // namespace pithball::experiments
