#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/layering/tracked_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// Pages go stale silently when a file is renamed; so whatever file a page names must exist.

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

/// Targets of links [text](target) that lie in the repository, without their #anchor.
std::vector<std::string> linked_files(const std::string& page) {
  static const std::regex link(R"(\]\(([^)#:\s]+)(?:#[^)\s]*)?\))");
  return matches(page, link);
}

/// Files of the repository that the text names by their path.
std::vector<std::string> named_files(const std::string& page) {
  static const std::regex name(
      R"((?:^|[^A-Za-z0-9_./-])((?:sim|diff|optim|datasets|app|experiments|tests|docs|third_party)/[A-Za-z0-9_./-]*\.(?:hpp|cpp|cmake|md|txt|sh|yaml|json|csv))(?![A-Za-z0-9_]))");
  return matches(page, name);
}

/// Files that the page itself creates, as code blocks "```cpp path".
std::set<std::string> created_files(const std::string& page) {
  static const std::regex block(R"(```cpp (\S+))");
  const auto found = matches(page, block);
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("documents: links and file names are recognized", "[layering]") {
  const std::string page =
      "See [a](docs/a.md#part), [b](https://example.org/b.md) and `sim/core/state.hpp`.\n```cpp sim/new.hpp\n";
  CHECK(linked_files(page) == std::vector<std::string>{"docs/a.md"});
  CHECK(named_files(page) == std::vector<std::string>{"docs/a.md", "sim/core/state.hpp", "sim/new.hpp"});
  CHECK(created_files(page) == std::set<std::string>{"sim/new.hpp"});
}

TEST_CASE("documents: every file that a page links or names exists", "[layering]") {
  const fs::path root = pithball::tests::source_folder;
  std::map<std::string, std::string> pages;
  std::set<std::string> created;
  for (const auto& file : pithball::tests::tracked_files(root.string())) {
    if (fs::path(file).extension() != ".md") continue;
    pages[file] = read(root / file);
    created.merge(created_files(pages[file]));
  }
  for (const auto& [file, page] : pages) {
    // A changelog fragment becomes a part of CHANGELOG.md.
    const bool is_fragment = file.starts_with("changelog.d/") && file != "changelog.d/README.md";
    for (const auto& link : linked_files(page))
      if (!fs::exists((is_fragment ? root : (root / file).parent_path()) / link))
        FAIL_CHECK(file << " links to " << link << ", which does not exist");
    for (const auto& name : named_files(page))
      if (!created.count(name) && !fs::exists(root / name))
        FAIL_CHECK(file << " names " << name << ", which does not exist");
  }
}

TEST_CASE("documents: the site's index lists every page of docs/", "[layering]") {
  const fs::path root = pithball::tests::source_folder;
  const std::string index = read(root / "docs/site/index.md");
  static const std::regex entry(R"((?:^|\n|<)(docs/\w+)>?(?=\n))");
  const auto found = matches(index, entry);
  const std::set<std::string> listed(found.begin(), found.end());
  REQUIRE(listed.count("docs/keys") == 1);
  for (const auto& file : pithball::tests::tracked_files(root.string())) {
    const fs::path page(file);
    if (page.parent_path() != "docs" || page.extension() != ".md") continue;
    if (!listed.count(page.parent_path() / page.stem()))
      FAIL_CHECK(file << " is in no toctree of docs/site/index.md, so that `make site` fails");
  }
}
