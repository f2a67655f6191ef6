#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// What a value "for each item" ranges over: particles or springs, with their named groups.
struct ItemSpace {
  std::string noun;  ///< "particle"
  Index count = 0;
  const std::map<std::string, std::vector<Index>>* groups = nullptr;
};

/// A number that is asked for each item.
struct ItemValue {
  std::string_view unit, meaning;
  std::optional<double> fallback = {};  ///< without one it must be written; NaN: optional, and no number says so
  sim::ValueSign sign = sim::ValueSign::Any;
};

/// One number for each item, written as one value for all; a list; {total: value}, shared out evenly; or
/// {group: value, …, rest: value}, where a value may again be {total: value} and a later group overrides an earlier
/// one.
Vector read_per_item(Node& node, std::string_view key, const ItemValue& asked, const ItemSpace& space);

}  // namespace pithball::app
