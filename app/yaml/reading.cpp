#include "app/yaml/reading.hpp"

#include <algorithm>
#include <optional>

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
    if (found == asked_.end()) return;  // read as a whole and checked elsewhere
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

void Reading::reject_unlisted_keys(const nlohmann::ordered_json& schema) {
  struct Unknown {
    const Tree* entry;
    std::string path;
    bool names_item;
    ListedKeys listed;
  };
  std::optional<Unknown> first;
  const auto is_in = [](const std::vector<std::string>& names, const Tree& entry) {
    return std::ranges::find(names, entry.key) != names.end();
  };
  visit_listed_keys(root_, schema, [&](const Tree& mapping, const std::string& path, const ListedKeys& listed) {
    listed_.emplace(&mapping, listed);
    const bool has_item = std::ranges::any_of(mapping.entries, [&](const Tree& e) { return is_in(listed.items, e); });
    for (const Tree& entry : mapping.entries)
      if (!first && !is_in(listed.names, entry))
        first = {&entry, path.empty() ? entry.key : path + "." + entry.key, !listed.item.empty() && !has_item, listed};
  });
  if (!first) return;  // reported only after the visit, because the suggestion needs all mappings
  const auto& [entry, path, names_item, listed] = *first;
  if (names_item) reject_unknown_name(entry->place.text(), path, entry->key, listed.item, listed.items);
  reject_unknown_key(*entry, path, listed.names);
}

void Reading::reject_unknown_name(const std::string& place, const std::string& path, const std::string& name,
                                  const std::string& kind, const std::vector<std::string>& known) const {
  const std::string meant = suggestion(name, known, suggest_path(name));
  throw InvalidArgument({place, path, "is not a known " + kind, "'" + name + "'",
                         meant + (meant.empty() ? "" : " ") + "known are " + joined(known)});
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
  const auto listed = listed_.find(&node);
  const bool is_known = read != asked_.end()      ? read->second.contain(key)
                        : listed != listed_.end() ? std::ranges::count(listed->second.names, key) > 0
                                                  : node.find(key) != nullptr;
  if (is_known && std::ranges::find(paths, below(key)) == paths.end()) paths.push_back(below(key));
  for (std::size_t k = 0; k < node.entries.size(); ++k) {
    const Tree& entry = node.entries[k];
    const bool is_named = entry.kind == Tree::Kind::Map && entry.entries.size() == 1;  // `set_at` finds it by its key
    add_paths(entry, !is_list ? below(entry.key) : is_named ? path : below(std::to_string(k)), key, paths);
  }
}

}  // namespace pithball::app
