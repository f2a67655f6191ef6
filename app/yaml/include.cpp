#include "app/yaml/include.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"

namespace pithball::app {

Tree merged(Tree base, const Tree& over) {
  if (base.kind != Tree::Kind::Map || over.kind != Tree::Kind::Map) return over;
  Tree result = over;  // keeps the source position of `over`
  result.entries = std::move(base.entries);
  for (const Tree& entry : over.entries) {
    Tree* below = result.find(entry.key);
    if (!below)
      result.entries.push_back(entry);
    else if (entry.kind == Tree::Kind::Null)
      result.entries.erase(result.entries.begin() + (below - result.entries.data()));
    else
      *below = merged(std::move(*below), entry);
  }
  return result;
}

namespace fs = std::filesystem;

namespace {

/// Reads a file and those that it includes; holds the chain of files being read to detect cycles.
class IncludeChain {
 public:
  /// `file`: its name in messages.
  Tree read(const std::string& file) {
    names_.push_back(file);
    const std::optional<Identity> here = identity_of(file);
    if (here) known_.insert(*here);
    Tree root = parse_yaml_file(file);
    if (const Tree* include = root.find("include")) {
      Tree base = read_base(*include, fs::path(file).parent_path());
      std::erase_if(root.entries, [](const Tree& entry) { return entry.key == "include"; });
      root = merged(std::move(base), root);
    }
    names_.pop_back();
    if (here) known_.erase(*here);
    return root;
  }

 private:
  /// Identifies a file regardless of its name: device and inode.
  using Identity = std::pair<dev_t, ino_t>;
  static std::optional<Identity> identity_of(const std::string& name) {
    struct stat found {};
    if (stat(name.c_str(), &found) != 0) return {};
    return Identity(found.st_dev, found.st_ino);
  }

  Tree read_base(const Tree& include, const fs::path& folder) {
    if (include.kind != Tree::Kind::Scalar || include.text.empty())
      reject(include, "must be the name of a file", shown(include), "write `include: base.yaml`");
    const std::string name = (folder / include.text).lexically_normal().string();
    std::error_code ignored;  // set for names that no file can have
    if (!fs::is_regular_file(name, ignored))
      reject(include, "must be an existing file", "'" + include.text + "'",
             "the name is relative to the folder of the file that it is written in");
    if (const std::optional<Identity> found = identity_of(name); found && known_.contains(*found))
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

  std::vector<std::string> names_;
  std::set<Identity> known_;  // files in the chain
};

}  // namespace

Tree read_with_includes(const std::string& file) { return IncludeChain().read(file); }

}  // namespace pithball::app
