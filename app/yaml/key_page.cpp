#include "app/yaml/key_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/yaml/value_schema.hpp"

namespace pithball::app {
namespace {

bool starts_with_path(const std::string& path, const std::string& section) {
  if (section.empty() || path == section) return true;
  return path.size() > section.size() && path.compare(0, section.size(), section) == 0 &&
         (path[section.size()] == '.' || path[section.size()] == '[');
}

/// A bar would end a table cell.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? "\\|" : std::string(1, c);
  return safe;
}

}  // namespace

void KeyPage::add(Row row) {
  const auto same = [&](const Row& other) { return other.path == row.path && other.meaning == row.meaning; };
  if (std::none_of(rows_.begin(), rows_.end(), same)) rows_.push_back(std::move(row));
}

void KeyPage::section(std::string path, std::string text) { sections_.push_back({std::move(path), std::move(text)}); }

std::vector<std::string> KeyPage::keys_below(const std::string& path) const {
  const std::string start = path.empty() ? "" : path + ".";
  std::vector<std::string> keys;
  for (const Row& row : rows_)
    if (row.path.size() > start.size() && row.path.starts_with(start))
      if (const std::string rest = row.path.substr(start.size()); rest.find_first_of(".[") == std::string::npos)
        keys.push_back(rest);
  return keys;
}

std::optional<std::string> KeyPage::alias_of(const std::string& path) const {
  for (const Row& row : rows_)
    if (row.path == path)
      if (std::string other = parse_value_text(row.type).same_as; !other.empty()) return other;
  return std::nullopt;
}

bool KeyPage::is_placeholder(const std::string& key) {
  return key != "[]" && std::ranges::all_of(key, [](const char c) { return c >= 'A' && c <= 'Z'; });
}

std::string KeyPage::markdown() const {
  std::vector<std::vector<const Row*>> of_section(sections_.size());
  for (const Row& row : rows_) {
    std::size_t best = 0;
    for (std::size_t s = 0; s < sections_.size(); ++s)
      if (starts_with_path(row.path, sections_[s].path) && sections_[s].path.size() >= sections_[best].path.size())
        best = s;
    of_section[best].push_back(&row);
  }
  std::string page;
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    page += fmt::format("\n## {}\n\n{}\n", sections_[s].path.empty() ? "The file" : "`" + sections_[s].path + "`",
                        sections_[s].text);
    if (of_section[s].empty()) continue;
    page += "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const Row* row : of_section[s])
      page +=
          fmt::format("| `{}` | {} | {} | {} |\n", row->path, cell(row->type), cell(row->fallback), cell(row->meaning));
  }
  return page;
}

}  // namespace pithball::app
