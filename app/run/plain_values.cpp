#include "app/run/plain_values.hpp"

namespace pithball::app {

Tree with_plain_values(Tree item) {
  if (item.kind == Tree::Kind::Scalar) {
    Tree entry = parse_yaml("{}", "rollout");
    entry.key = item.text;
    entry.key_place = item.place;
    Tree map = parse_yaml("{}", "rollout");
    map.place = item.place;
    map.entries = {entry};
    item = std::move(map);
  }
  if (item.kind != Tree::Kind::Map || item.entries.size() != 1) return item;  // rejected where it is read
  Tree& settings = item.entries[0];
  if (settings.kind == Tree::Kind::Null) settings.kind = Tree::Kind::Map;
  if (settings.kind != Tree::Kind::Map) return item;
  std::erase_if(settings.entries, [](const Tree& entry) { return entry.key == "transform"; });
  settings.entries.push_back(make_scalar("identity"));
  settings.entries.back().key = "transform";
  return item;
}

}  // namespace pithball::app
