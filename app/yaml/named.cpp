#include "app/yaml/named.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/yaml/nearest.hpp"

namespace pithball::app {

Named read_named(Node& item, const std::string& kind, const std::vector<std::string>& known,
                 const std::string& remedy) {
  const bool bare = item.is_scalar();
  if (!bare && !(item.is_map() && item.tree()->entries.size() == 1))
    item.reject("", fmt::format("must be one {}: `name: settings`", kind),
                item.is_map() ? fmt::format("{} keys", item.tree()->entries.size()) : "something else", remedy);
  const std::string name = bare ? item.tree()->text : item.tree()->entries.front().key;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const std::string meant = suggestion(name, known, item.suggest_path(name));
    item.reject(bare ? "" : name, fmt::format("is not a known {}", kind), "'" + name + "'",
                meant + (meant.empty() ? "" : " ") + "known are " + joined(known));
  }
  return {name, bare ? item.without_value(name) : item.form(name)};
}

}  // namespace pithball::app
