#include "app/spec/recording_list.hpp"

#include <algorithm>

#include "app/spec/split_spec.hpp"
#include "app/yaml/merge.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

constexpr const char* defaults_key = "recording_defaults";

/// The list `fit.recordings` of a document; null if there is none that can be read.
Tree* find_list(Tree& root) {
  Tree* fit = root.find("fit");
  Tree* list = fit ? fit->find("recordings") : nullptr;
  return list && list->kind == Tree::Kind::List ? list : nullptr;
}

void lay_over_defaults(Tree& root, Tree& list) {
  Tree& fit = *root.find("fit");
  const Tree* defaults = fit.find(defaults_key);
  if (!defaults) return;
  if (defaults->kind != Tree::Kind::Map && defaults->kind != Tree::Kind::Null)
    throw InvalidArgument({defaults->place.text(), std::string("fit.") + defaults_key, "must be a mapping of keys",
                           shown(*defaults), "write keys of a recording below it"});
  for (Tree& item : list.entries) {
    Tree whole = merged(*defaults, item);
    whole.key.clear();
    item = std::move(whole);
  }
  std::erase_if(fit.entries, [](const Tree& entry) { return entry.key == defaults_key; });
}

bool splits(const Tree& item) { return item.find("split") != nullptr; }

}  // namespace

ExperimentDocument with_whole_recordings(const ExperimentDocument& document) {
  ExperimentDocument whole = document;
  Tree* list = find_list(whole.root);
  if (!list) return whole;
  lay_over_defaults(whole.root, *list);
  list = find_list(whole.root);
  if (std::ranges::none_of(list->entries, splits)) return whole;
  Reading reading(whole.root, whole.folder, whole.inputs);
  std::vector<Tree> items;
  for (Node& item : reading.root().form("fit").items("recordings", "")) {
    if (splits(*item.tree()))
      std::ranges::move(read_split(item), std::back_inserter(items));
    else
      items.push_back(*item.tree());
  }
  list->entries = std::move(items);
  return whole;
}

void describe_recording_defaults(Node& fit) {
  fit.document(defaults_key, "as `fit.recordings[]`", "optional",
               "default keys for all recordings; a recording's own keys override them; mappings are merged key by key");
}

}  // namespace pithball::app
