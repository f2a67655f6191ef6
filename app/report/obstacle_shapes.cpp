#include "app/report/obstacle_shapes.hpp"

#include <nlohmann/json.hpp>

#include "app/yaml/quantity.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// The name of a shape on the page, and its keys in an experiment and on the page, each with its unit.
struct Shape {
  const char* name;
  struct Key {
    const char *written, *shown, *unit;
  };
  std::vector<Key> keys;
};

const std::vector<std::pair<std::string, Shape>>& shapes() {
  static const Shape plane{"plane", {{"point", "point", "m"}, {"normal", "normal", ""}}};
  static const Shape box{"box", {{"min", "min", "m"}, {"max", "max", "m"}}};
  static const Shape sphere{"sphere", {{"center", "center", "m"}, {"sphere_radius", "radius", "m"}}};
  static const std::vector<std::pair<std::string, Shape>> all{
      {"plane_penalty", plane}, {"plane", plane}, {"box_penalty", box}, {"box", box}, {"sphere_penalty", sphere}};
  return all;
}

ordered_json number_or_list(const Tree& written, const char* unit) {
  if (written.kind != Tree::Kind::List) return read_quantity(written.text, unit).value;
  ordered_json list = ordered_json::array();
  for (const Tree& entry : written.entries) list.push_back(read_quantity(entry.text, unit).value);
  return list;
}

/// Returns the obstacle described by an item `name: settings`; null if the item is not an obstacle.
ordered_json shape_of(const Tree& item) {
  for (const auto& [name, shape] : shapes()) {
    const Tree* settings = item.find(name);
    if (!settings) continue;
    ordered_json numbers;
    for (const Shape::Key& key : shape.keys)
      if (const Tree* written = settings->find(key.written)) numbers[key.shown] = number_or_list(*written, key.unit);
    return {{shape.name, numbers}};
  }
  return nullptr;
}

}  // namespace

ordered_json obstacle_shapes(const Tree& document) {
  ordered_json list = ordered_json::array();
  for (const char* section : {"forces", "constraints"})
    if (const Tree* items = document.find(section))
      for (const Tree& item : items->entries)
        if (ordered_json shape = shape_of(item); !shape.is_null()) list.push_back(std::move(shape));
  return list;
}

}  // namespace pithball::app
