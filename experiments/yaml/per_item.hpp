#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/yaml/node.hpp"

namespace pithball::experiments {

/// What a value "for each item" ranges over: particles or springs, with their named groups.
struct ItemSpace {
  std::string noun;  ///< "particle"
  Index count = 0;
  const std::map<std::string, std::vector<Index>>* groups = nullptr;
};

/// One number for each item, written as one value for all; a list; {total: value}, shared out evenly; or
/// {group: value, …, rest: value}, where a value may again be {total: value} and a later group overrides an earlier
/// one. Where nothing need be written and no number says so, describe it with the fallback NaN, for "optional".
Vector read_per_item(Node& node, std::string_view key, std::string_view unit, std::string_view meaning,
                     std::optional<double> fallback, const ItemSpace& space, sim::ValueSign sign = sim::ValueSign::Any);

}  // namespace pithball::experiments
