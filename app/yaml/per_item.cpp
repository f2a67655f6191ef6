#include "app/yaml/per_item.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/yaml/decimal_comma.hpp"
#include "app/yaml/nearest.hpp"

namespace pithball::app {
namespace {

/// One value, or {total: value} shared out evenly over `count` items.
double read_share(Node node, std::string_view unit, sim::ValueSign sign, Index count) {
  if (!node.is_map()) return node.number("", unit, "", {}, sign);
  return node.number("total", unit, "", {}, sign) / count;
}

Vector read_by_group(Node node, const ItemValue& asked, const ItemSpace& space) {
  const auto& [unit, meaning, fallback, sign] = asked;
  Vector values = Vector::Constant(space.count, fallback.value_or(0));
  std::vector<bool> given(space.count, fallback.has_value());
  std::optional<Node> rest;
  for (auto& [name, entry] : node.entries("GROUP")) {
    if (name == "rest") {
      rest = entry;
      continue;
    }
    const auto group = space.groups->find(name);
    if (group == space.groups->end()) {
      std::vector<std::string> known{"rest"};
      for (const auto& [other, items] : *space.groups) known.push_back(other);
      entry.reject("", fmt::format("must be a group of {}s", space.noun), "'" + name + "'", suggestion(name, known));
    }
    if (group->second.empty()) entry.reject("", "must not be an empty group", "'" + name + "'", "omit it");
    const double value = read_share(entry, unit, sign, group->second.size());
    for (const Index i : group->second) {
      values[i] = value;
      given[i] = true;
    }
  }
  if (rest) {
    std::vector<Index> others;  // with a fallback everything counts as given, but `rest` is then what is in no group
    std::vector<bool> grouped(given.size(), false);
    for (auto& [name, entry] : node.entries("GROUP"))
      if (name != "rest")
        for (const Index i : space.groups->at(name)) grouped[i] = true;
    for (Index i = 0; i < space.count; ++i)
      if (!grouped[i]) others.push_back(i);
    const double value = read_share(*rest, unit, sign, std::max<Index>(1, others.size()));
    for (const Index i : others) {
      values[i] = value;
      given[i] = true;
    }
  }
  for (Index i = 0; i < space.count; ++i)
    if (!given[i])
      node.reject("", fmt::format("must give a value to every {}", space.noun),
                  fmt::format("none for {} {}", space.noun, i), "add `rest: value`");
  return values;
}

}  // namespace

Vector read_per_item(Node& node, std::string_view key, const ItemValue& asked, const ItemSpace& space) {
  const auto& [unit, meaning, fallback, sign] = asked;
  if (node.describing()) {
    const std::string bound = sign == sim::ValueSign::Positive      ? " > 0"
                              : sign == sim::ValueSign::NonNegative ? " >= 0"
                                                                    : "";
    node.document(key, fmt::format("per {}{} [{}]", space.noun, bound, unit),
                  !fallback               ? "required"
                  : std::isnan(*fallback) ? "optional"
                                          : fmt::format("{}", *fallback),
                  meaning);
    return Vector::Constant(space.count, fallback.value_or(1));
  }
  Node value = node.form(key);
  if (value.is_list()) {
    // The length goes first: a decimal comma makes two numbers of one, and 0 may be rejected for its sign.
    if (const std::size_t length = value.tree()->entries.size(); static_cast<Index>(length) != space.count)
      value.reject("", fmt::format("must have one entry for each of the {} {}s", space.count, space.noun),
                   fmt::format("{}", length),
                   decimal_comma_remedy(*value.tree(), "give one number for all, or a list of that length"));
    const std::vector<double> list = value.numbers("", unit, meaning, sign);
    return Eigen::Map<const Vector>(list.data(), space.count);
  }
  if (value.is_map() && !(value.has("total") && !space.groups->count("total")))
    return read_by_group(value, asked, space);
  if (value.is_map())
    return Vector::Constant(space.count, read_share(value, unit, sign, std::max<Index>(1, space.count)));
  return Vector::Constant(space.count, node.number(key, unit, meaning, fallback, sign));
}

}  // namespace pithball::app
