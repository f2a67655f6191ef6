#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/layering/tracked_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// A subscript converts its index by itself, and no warning of ours asks for more: a cast that is all of a subscript
// only makes the line harder to read.

namespace {

namespace fs = std::filesystem;

/// Whether the parenthesis that opens at `at` closes just before a bracket does.
bool fills_subscript(const std::string& text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    if (depth == 0) return at + 1 < text.size() && text[at + 1] == ']';
  }
  return false;
}

/// Casts that are a subscript, but for those of scoped enumerations, which do not convert.
std::vector<std::string> cast_subscripts(const std::string& line) {
  static const std::regex cast(R"([\w)\]]\[static_cast<[\w:]+>\((?!(kind|row\.quantity)\)))");
  std::vector<std::string> found;
  for (std::sregex_iterator it(line.begin(), line.end(), cast), end; it != end; ++it)
    if (fills_subscript(line, static_cast<std::size_t>(it->position() + it->length() - 1))) found.push_back(it->str());
  return found;
}

}  // namespace

TEST_CASE("casts: no subscript is a cast and nothing else", "[layering]") {
  const fs::path root = pithball::tests::source_folder;
  std::size_t files = 0;
  for (const std::string& name : pithball::tests::tracked_files(root.string())) {
    const std::string extension = fs::path(name).extension();
    if (extension != ".cpp" && extension != ".hpp") continue;
    ++files;
    std::ifstream file(root / name);
    long number = 0;
    for (std::string line; std::getline(file, line);) {
      INFO(name << ":" << ++number << ": " << line);
      CHECK((cast_subscripts(line).empty() || line.find("R\"(") != std::string::npos));
    }
  }
  CHECK(files > 500);
}

TEST_CASE("casts: one that is all of a subscript is found, one in a sum is not", "[layering]") {
  CHECK(cast_subscripts(R"(x = rows[static_cast<std::size_t>(f(k))].first;)").size() == 1);
  CHECK(cast_subscripts(R"(x = rows[static_cast<std::size_t>(k) + 1];)").empty());
  CHECK(cast_subscripts(R"(x = names[static_cast<std::size_t>(kind)];)").empty());
  CHECK(cast_subscripts(R"(call([static_cast] { return rows[k]; });)").empty());
}
