#include "app/yaml/named.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pithball::app {

Named read_named(Node& item, const std::string& kind, const std::vector<std::string>& known, const std::string& remedy,
                 std::string_view beside) {
  const bool bare = item.is_scalar();
  std::vector<std::string> keys;
  if (item.is_map())
    for (const Tree& entry : item.tree()->entries)
      if (entry.key != beside) keys.push_back(entry.key);
  if (!bare && keys.size() != 1)
    item.reject("", fmt::format("must be one {}: `name: settings`", kind),
                item.is_map() ? fmt::format("{} keys", keys.size()) : "something else", remedy);
  const std::string name = bare ? item.tree()->text : keys.front();
  if (std::find(known.begin(), known.end(), name) == known.end())
    item.reject_unknown_name(bare ? "" : name, name, kind, known);
  return {name, bare ? item.without_value(name) : item.form(name)};
}

}  // namespace pithball::app
