#include "app/yaml/include.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "app/yaml/merge.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// The files that are being read, each included by the one before.
class IncludeChain {
 public:
  explicit IncludeChain(const std::function<void(Tree&)>& prepare) : prepare_(prepare) {}

  /// `file`: as messages call it.
  Tree read(const std::string& file) {
    names_.push_back(file);
    Tree root = parse_yaml_file(file);
    prepare_(root);
    if (const Tree* include = root.find("include")) {
      Tree base = read_base(*include, fs::path(file).parent_path());
      std::erase_if(root.entries, [](const Tree& entry) { return entry.key == "include"; });
      root = merged(std::move(base), root);
    }
    names_.pop_back();
    return root;
  }

 private:
  Tree read_base(const Tree& include, const fs::path& folder) {
    if (include.kind != Tree::Kind::Scalar || include.text.empty())
      reject(include, "must be the name of a file", shown(include), "write `include: base.yaml`");
    const std::string name = (folder / include.text).lexically_normal().string();
    std::error_code ignored;  // of a name that no file can have
    if (!fs::is_regular_file(name, ignored))
      reject(include, "must be an existing file", "'" + include.text + "'",
             "the name is relative to the folder of the file that it is written in");
    const auto same = [&](const std::string& earlier) { return fs::equivalent(earlier, name, ignored); };
    if (std::ranges::any_of(names_, same))
      reject(include, "must not lead back to a file that includes this one",
             fmt::format("{} -> {}", fmt::join(names_, " -> "), name), "remove one of the `include:` lines");
    Tree base = read(name);
    if (base.kind != Tree::Kind::Map)
      reject(include, "must name a file that holds a mapping of keys", shown(base), "write keys into that file");
    return base;
  }

  [[noreturn]] static void reject(const Tree& include, std::string required, std::string got, std::string remedy) {
    throw InvalidArgument({include.place.text(), "include", std::move(required), std::move(got), std::move(remedy)});
  }

  const std::function<void(Tree&)>& prepare_;
  std::vector<std::string> names_;
};

}  // namespace

Tree read_with_includes(const std::string& file, const std::function<void(Tree&)>& prepare) {
  return IncludeChain(prepare).read(file);
}

}  // namespace pithball::app
