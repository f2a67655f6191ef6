#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// The items of a value per item: particles or springs, with their named groups.
struct ItemSpace {
  std::string noun;  ///< "particle"
  Index count = 0;   ///< number of items
  /// By name: numbers of items; must outlive this object.
  const std::map<std::string, std::vector<Index>>* groups = nullptr;
};

/// A number per item, as queried.
struct ItemValue {
  std::string_view unit,                      ///< in base units of SI
      meaning;                                ///< a phrase for the page of keys
  std::optional<double> fallback = {};        ///< without one, required; NaN: optional, and no number means none
  sim::ValueSign sign = sim::ValueSign::Any;  ///< allowed signs
};

/// Reads one number for each item, written as one value for all; a list; {total: value}, divided equally; or {group:
/// value, …, rest: value}, where a value can again be {total: value} and a later group overrides an earlier one.
Vector read_per_item(Node& node, std::string_view key, const ItemValue& asked, const ItemSpace& space);

}  // namespace pithball::app
