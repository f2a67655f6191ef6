#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// The keys of one mapping of a document, as its JSON Schema lists them.
struct ListedKeys {
  std::vector<std::string> names;  ///< in the order of the page of keys
  std::string item;                ///< what one of the keys names, where the mapping is an item `name: settings` of a
                                   ///< list: "force"; else empty
  std::vector<std::string> items;  ///< the keys that name it; others may stand beside it
};

/// Walks a document by a schema of `experiment_schema` and calls visit(mapping, full path, its keys) for each mapping
/// whose keys are fixed, from the outside to the inside and in the order of the document. Mappings with names that the
/// user chooses (groups, paths, parameters) are passed over, not what is below them; and whatever has another form than
/// the schema expects.
void visit_listed_keys(const Tree& document, const nlohmann::ordered_json& schema,
                       const std::function<void(const Tree&, const std::string&, const ListedKeys&)>& visit);

}  // namespace pithball::app
