#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/catch.hpp"

// A tolerance that is measured against 1 m or 1 s makes small and slow systems wrong without a word. So whoever writes a
// number with a power of ten says in docs/architecture.md what its unit is, and why it has that size.

namespace {

namespace fs = std::filesystem;

/// File and literal, as in the rows of the table.
using Literal = std::pair<std::string, std::string>;

/// The code of a source without comments and texts; lines stay lines.
std::string code_of(const std::string& source) {
  std::string code;
  for (std::size_t at = 0; at < source.size();) {
    const std::string_view rest = std::string_view(source).substr(at);
    std::size_t length = 1;
    if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      length = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
      code.append(static_cast<std::size_t>(std::count(rest.begin(), rest.begin() + static_cast<long>(length), '\n')),
                  '\n');
    } else if (rest.starts_with("R\"(")) {
      length = std::min(rest.find(")\""), rest.size() - 2) + 2;
      code.append(static_cast<std::size_t>(std::count(rest.begin(), rest.begin() + static_cast<long>(length), '\n')),
                  '\n');
    } else if (rest[0] == '"' || (rest[0] == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(source[at - 1]))))) {
      while (length < rest.size() && rest[length] != rest[0]) length += rest[length] == '\\' ? 2 : 1;
      ++length;
    } else {
      code += rest[0];
    }
    at += length;
  }
  return code;
}

/// The decimal literals with an exponent in some code, each with the line where it is first.
std::map<std::string, std::string> literals_of(const std::string& source) {
  static const std::regex literal(R"((?:^|[^A-Za-z0-9_.])((?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+))");
  std::map<std::string, std::string> found;
  std::istringstream lines(code_of(source));
  for (std::string line; std::getline(lines, line);)
    for (std::sregex_iterator it(line.begin(), line.end(), literal), end; it != end; ++it)
      found.try_emplace((*it)[1], line.substr(line.find_first_not_of(' ')));
  return found;
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Rows `| `file` | `1e-6`, `1e-9` | unit | reason |`.
std::set<Literal> rows_of(const std::string& page) {
  static const std::regex row(R"(\n\| `((?:sim|diff|optim|datasets)/[^`]+)` \|([^|]+)\| [^|]*[^| ][^|]* \| [^|]*[^| ][^|]* \|)"),
      literal("`([^`]+)`");
  std::set<Literal> rows;
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
    const std::string file = (*it)[1], values = (*it)[2];
    for (std::sregex_iterator v(values.begin(), values.end(), literal); v != end; ++v) rows.emplace(file, (*v)[1]);
  }
  return rows;
}

}  // namespace

TEST_CASE("literals: those of code are found, those of comments and texts are not", "[layering]") {
  CHECK(code_of("a; // 1e-3\nb; /* 1e-4\n */ \"1e-5 \\\" 1e-6\" '\"' c") == "a; \nb; \n  c");
  const auto found = literals_of("x = 1e-9 * (2.5E+3 + 0x1e5 + a1e7 + 1'000); // 1e-2\n y = \"1e-1\" + 1e-9;");
  CHECK(found.size() == 2);
  CHECK(found.count("1e-9") == 1);
  CHECK(found.count("2.5E+3") == 1);
  CHECK(rows_of("\n| `sim/a.cpp` | `1e-9`, `2e3` | pure number | why |\n| `sim/b.cpp` | `1e-9` | | |\n") ==
        std::set<Literal>{{"sim/a.cpp", "1e-9"}, {"sim/a.cpp", "2e3"}});
}

TEST_CASE("literals: docs/architecture.md says of each 1e… of the libraries what its unit is", "[layering]") {
  const fs::path root = PITHBALL_SOURCE_DIR;
  std::set<Literal> listed = rows_of(text_of(root / "docs/architecture.md"));
  std::string missing, gone;
  for (const char* library : {"sim", "diff", "optim", "datasets"})
    for (const auto& entry : fs::recursive_directory_iterator(root / library)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      for (const auto& [literal, line] : literals_of(text_of(entry.path())))
        if (listed.erase({file, literal}) == 0)
          missing += "| `" + file + "` | `" + literal + "` | pure number | of `" + line + "` |\n";
    }
  for (const auto& [file, literal] : listed) gone += "`" + file + "` `" + literal + "`\n";
  if (!missing.empty()) FAIL_CHECK("rows to add to the table, each with its unit and its reason:\n" << missing);
  if (!gone.empty()) FAIL_CHECK("literals of the table that are not in the code any more:\n" << gone);
}
