#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <string>

namespace pithball::tests {

/// A line of a source file.
struct SourceLine {
  std::string file;  ///< path below the root
  int number = 0;    ///< from 1
  std::string text;  ///< without its end

  /// "sim/core/state.hpp:3"
  std::string place() const { return file + ":" + std::to_string(number); }
};

/// Calls `visit` for every line of the .hpp and .cpp files in a folder below `root`; none if it does not exist.
template <class Visit>
void for_each_line(const std::filesystem::path& root, const std::string& folder, const Visit& visit) {
  if (!std::filesystem::exists(root / folder)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".hpp" && path.extension() != ".cpp") continue;
    SourceLine line{std::filesystem::relative(path, root).generic_string(), 0, ""};
    std::ifstream stream(path);
    while (std::getline(stream, line.text)) {
      ++line.number;
      visit(line);
    }
  }
}

/// What a line includes.
struct Include {
  std::string name;     ///< as written
  bool quoted = false;  ///< "name" rather than <name>
};

/// The include of a line; empty if it has none.
inline std::optional<Include> find_include(const std::string& line) {
  static const std::regex include_line(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
  std::smatch match;
  if (!std::regex_match(line, match, include_line)) return std::nullopt;
  return Include{match[2], match[1] == "\""};
}

using Files = std::map<std::string, std::string>;  ///< path -> text

/// A small tree of source files that disappears with the object.
class TemporaryTree {
 public:
  explicit TemporaryTree(const Files& files)
      : root_(std::filesystem::temp_directory_path() /
              ("pithball-layering-" + std::to_string(std::random_device()()))) {
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((root_ / name).parent_path());
      std::ofstream(root_ / name) << text;
    }
  }
  ~TemporaryTree() { std::filesystem::remove_all(root_); }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace pithball::tests
