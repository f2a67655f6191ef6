#include "app/experiment/experiment_document.hpp"

#include "app/yaml/reading.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InvalidArgument({"--set", "", "must be path.to.key=value", "'" + text + "'",
                           "write --set system.mass=2, or --set 'missing=[0, -999]'"});
  return {text.substr(0, equals), text.substr(equals + 1), "--set " + excerpt(text)};
}

void apply_overrides(const std::vector<Override>& overrides, ExperimentDocument& document) {
  for (const Override& change : overrides) {
    if (change.path.empty()) throw InvalidArgument({"changes", "", "must each name a key", "''", "write system.mass"});
    Tree entry = parse_yaml(change.value, change.where);
    entry.key = change.path;
    entry.key_place.source = std::make_shared<const Source>(Source{change.where});
    if (entry.key == "include")
      throw InvalidArgument({change.where, "include", "must be written in the experiment file", "",
                             "write a file with `include:` and the keys that differ"});
    set_at(document.root, entry.key, entry, change.where);
  }
}

ExperimentDocument own_document(const ExperimentDocument& document, const Tree* set) {
  ExperimentDocument own = document;
  std::erase_if(own.root.entries, [](const Tree& entry) { return entry.key == "fit"; });
  if (set)
    for (const Tree& entry : set->entries) set_at(own.root, entry.key, entry, entry.place.text());
  return own;
}

void reject_unlisted_keys(const ExperimentDocument& document) {
  if (document.keys) Reading(document.root, document.folder).reject_unlisted_keys(*document.keys);
}

}  // namespace pithball::app
