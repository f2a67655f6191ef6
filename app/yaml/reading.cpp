#include "app/yaml/reading.hpp"

#include <algorithm>

#include "app/yaml/nearest.hpp"
#include "app/yaml/node.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

Reading::Reading(Tree root, std::filesystem::path folder, std::shared_ptr<InputFiles> inputs)
    : root_(std::move(root)), filled_(root_), folder_(std::move(folder)), inputs_(std::move(inputs)) {
  if (root_.kind != Tree::Kind::Map)
    throw InvalidArgument({root_.place.text(), "", "must be a mapping of keys",
                           root_.kind == Tree::Kind::Null ? "an empty file" : "something else",
                           "begin with `name:` and `system:`"});
}

Node Reading::root() {
  if (describing()) return Node(*this, nullptr, "", "");
  return Node(*this, &root_, "", root_.place.text());
}

void Reading::reject_unknown_keys() const {
  if (!describing()) reject_unknown_keys(root_, "");
}

void Reading::reject_unknown_keys(const Tree& node, const std::string& path) const {
  if (node.kind == Tree::Kind::Map) {
    const auto found = asked_.find(&node);
    if (found == asked_.end()) return;  // read as a whole by somebody who checked it
    for (const Tree& entry : node.entries) {
      const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
      if (!found->second.contain(entry.key)) reject_unknown_key(entry, entry_path, found->second.in_order());
      reject_unknown_keys(entry, entry_path);
    }
  }
  if (node.kind == Tree::Kind::List)
    for (std::size_t k = 0; k < node.entries.size(); ++k)
      reject_unknown_keys(node.entries[k], path + "[" + std::to_string(k) + "]");
}

void Reading::reject_unlisted_keys(const Tree& node, const std::string& path, const KeyPage& page,
                                   const std::string& page_path) const {
  const std::vector<std::string> listed = page.keys_below(page_path);
  if (node.kind != Tree::Kind::Map || listed.empty()) return;
  for (const Tree& entry : node.entries) {
    const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
    if (std::ranges::find(listed, entry.key) == listed.end()) reject_unknown_key(entry, entry_path, listed);
    reject_unlisted_keys(entry, entry_path, page, page_path.empty() ? entry.key : page_path + "." + entry.key);
  }
}

void Reading::reject_unknown_key(const Tree& entry, const std::string& path,
                                 const std::vector<std::string>& asked) const {
  const std::string elsewhere = suggest_path(entry.key);
  throw InvalidArgument({entry.key_place.text(), path, "is not a known key here", "",
                         suggestion(entry.key, asked, elsewhere.empty() ? "known keys: " + joined(asked) : elsewhere)});
}

std::string Reading::suggest_path(const std::string& key) const {
  constexpr std::size_t most = 3;
  std::vector<std::string> paths;
  add_paths(root_, "", key, paths);
  if (paths.empty()) return "";
  if (paths.size() == 1) return "did you mean '" + paths.front() + "'?";
  const bool more = paths.size() > most;
  paths.resize(std::min(paths.size(), most));
  return "did you mean one of " + joined(paths) + (more ? ", …?" : "?");
}

void Reading::add_paths(const Tree& node, const std::string& path, const std::string& key,
                        std::vector<std::string>& paths) const {
  const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  const bool is_list = node.kind == Tree::Kind::List;
  const auto read = asked_.find(&node);
  const bool is_known = read != asked_.end() ? read->second.contain(key) : node.find(key) != nullptr;
  if (is_known && std::ranges::find(paths, below(key)) == paths.end()) paths.push_back(below(key));
  for (std::size_t k = 0; k < node.entries.size(); ++k) {
    const Tree& entry = node.entries[k];
    const bool is_named = entry.kind == Tree::Kind::Map && entry.entries.size() == 1;  // `set_at` finds it by its key
    add_paths(entry, !is_list ? below(entry.key) : is_named ? path : below(std::to_string(k)), key, paths);
  }
}

}  // namespace pithball::app
