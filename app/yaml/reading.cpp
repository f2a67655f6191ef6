#include "app/yaml/reading.hpp"

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

void Reading::refuse_unknown_keys() const {
  if (!describing()) refuse_unknown_keys(root_, "");
}

void Reading::refuse_unknown_keys(const Tree& node, const std::string& path) const {
  if (node.kind == Tree::Kind::Map) {
    const auto found = asked_.find(&node);
    if (found == asked_.end()) return;  // read as a whole by somebody who checked it
    for (const Tree& entry : node.entries) {
      const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
      if (!found->second.contain(entry.key)) refuse_unknown_key(entry, entry_path, found->second.in_order());
      refuse_unknown_keys(entry, entry_path);
    }
  }
  if (node.kind == Tree::Kind::List)
    for (std::size_t k = 0; k < node.entries.size(); ++k)
      refuse_unknown_keys(node.entries[k], path + "[" + std::to_string(k) + "]");
}

void Reading::refuse_unknown_key(const Tree& entry, const std::string& path, const std::vector<std::string>& asked) {
  const auto meant = nearest(entry.key, asked);
  throw InvalidArgument({entry.key_place.text(), path, "is not a known key here", "",
                         meant ? "did you mean '" + *meant + "'?" : "known keys: " + joined(asked)});
}

}  // namespace pithball::app
