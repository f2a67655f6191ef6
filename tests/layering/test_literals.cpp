#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// A number in scientific notation is where an absolute length, time, mass or energy hides: each one in the code of the
// libraries has a row in docs/architecture.md that says in which unit it is.

namespace {

namespace fs = std::filesystem;

using Literals = std::map<std::string, std::set<std::string>>;  // of each file

std::set<std::string> scientific_numbers(const std::string& text) {
  static const std::regex number(R"((^|[^\w.])(\d+\.?\d*[eE][+-]?\d+))");
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it) found.insert((*it)[2]);
  return found;
}

/// A line of code without its comment and the contents of its texts.
std::string code_of(const std::string& line) {
  static const std::regex text(R"re("(\\.|[^"\\])*")re");
  const std::string bare = std::regex_replace(line, text, "\"\"");
  return bare.substr(0, bare.find("//"));
}

Literals in_the_sources(const fs::path& root) {
  Literals found;
  for (const char* library : {"sim", "diff", "optim", "datasets"})
    for (const auto& entry : fs::recursive_directory_iterator(root / library)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        for (const std::string& number : scientific_numbers(code_of(line)))
          found[fs::relative(entry.path(), root).generic_string()].insert(number);
    }
  return found;
}

Literals in_the_table(const fs::path& page) {
  static const std::regex row(R"(^\| `([^`]+\.[ch]pp)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$)");
  Literals found;
  std::ifstream file(page);
  std::smatch cells;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, cells, row)) found[cells[1]] = scientific_numbers(cells[2]);
  return found;
}

/// The rows that one has and the other lacks.
std::string difference(const Literals& have, const Literals& lack) {
  std::ostringstream rows;
  for (const auto& [file, numbers] : have)
    for (const std::string& number : numbers)
      if (const auto other = lack.find(file); other == lack.end() || other->second.count(number) == 0)
        rows << "| `" << file << "` | " << number << " | … | … |\n";
  return rows.str();
}

}  // namespace

TEST_CASE("literals: every number in scientific notation has its unit in the table", "[layering]") {
  const fs::path root = pithball::tests::source_folder;
  const Literals sources = in_the_sources(root), table = in_the_table(root / "docs/architecture.md");
  REQUIRE(sources.size() > 10);
  INFO("missing in docs/architecture.md:\n" << difference(sources, table));
  CHECK(difference(sources, table).empty());
  INFO("no longer in the sources:\n" << difference(table, sources));
  CHECK(difference(table, sources).empty());
}

TEST_CASE("literals: texts and comments hold none, code does", "[layering]") {
  CHECK(scientific_numbers(code_of(R"(f("1e-3", 2.5e-7, x1e5, 3);  // 1e9)")) == std::set<std::string>{"2.5e-7"});
}
