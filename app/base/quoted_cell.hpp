#pragma once
#include <string>
#include <string_view>

namespace pithball::app {

/// A text as a cell of a table with commas: in double quotes, which are doubled within.
inline std::string quoted_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

}  // namespace pithball::app
