#include "app/yaml/reading.hpp"

#include <algorithm>
#include <set>

#include "app/yaml/nearest.hpp"
#include "app/yaml/node.hpp"
#include "app/yaml/value_schema.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// The words that may stand at `path` instead of a mapping, or as its only key: those of "one of a, b".
std::vector<std::string> choices_at(const KeyPage& page, const std::string& path) {
  std::vector<std::string> choices;
  for (const KeyPage::Row& row : page.rows())
    if (row.path == path)
      for (std::string& choice : listed_choices(row.type)) choices.push_back(std::move(choice));
  return choices;
}

/// Whether a mapping at `path` takes the keys listed below it and no others; false where a value may be a mapping, too,
/// as `{uniform: [x, y, z]}` of a field.
bool has_fixed_keys(const KeyPage& page, const std::string& path) {
  static const std::set<std::string> fixed{"mapping", "list", "force", "constraint", "emitter", "sink"};
  return std::ranges::all_of(page.rows(), [&](const KeyPage::Row& row) {
    return row.path != path || fixed.contains(row.type) || !listed_choices(row.type).empty();
  });
}

}  // namespace

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

void Reading::note(std::string sentence) {
  if (std::ranges::find(notes_, sentence) == notes_.end()) notes_.push_back(std::move(sentence));
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
  if (node.kind == Tree::Kind::List)
    for (std::size_t k = 0; k < node.entries.size(); ++k)
      reject_unlisted_keys(node.entries[k], path + "[" + std::to_string(k) + "]", page, page_path + "[]");
  const std::vector<std::string> listed = page.keys_below(page_path);
  if (node.kind != Tree::Kind::Map || listed.empty() || !has_fixed_keys(page, page_path)) return;
  const auto shared = [&](const std::string& key) {
    const std::string below = (page_path.empty() ? "" : page_path + ".") + key;
    return page.alias_of(below).value_or(below);
  };
  const std::vector<std::string> choices = choices_at(page, page_path);
  const auto free_name = std::ranges::find_if(listed, KeyPage::is_placeholder);
  for (const Tree& entry : node.entries) {
    const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
    if (std::ranges::find(choices, entry.key) != choices.end()) continue;
    const bool is_listed = std::ranges::find(listed, entry.key) != listed.end();
    if (!is_listed && free_name == listed.end()) {
      for (const std::string& key : listed)  // one level too high
        if (node.find(key) && std::ranges::count(page.keys_below(shared(key)), entry.key) > 0)
          throw InvalidArgument(
              {entry.key_place.text(), entry_path, "is not a known key here", "", "write it below `" + key + ":`"});
      reject_unknown_key(entry, entry_path, listed);
    }
    reject_unlisted_keys(entry, entry_path, page, shared(is_listed ? entry.key : *free_name));
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
