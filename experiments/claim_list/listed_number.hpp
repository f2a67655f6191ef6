#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pithball::experiments {

/// Numbers side by side; one that is not there was left out by the list, as `none`. NaN: the results have none.
using Series = std::vector<std::optional<double>>;

/// A number, or several side by side, as a list asks for it.
struct ListedNumber {
  std::string path;        ///< of results (find_results); empty: another of these
  std::string expression;  ///< in the names of the item's values, for each of their numbers; empty: another of these
  std::string reduction;   ///< of what the expression gives, by a name of `reductions`; empty: none
  Series given;            ///< written in the list itself

  ListedNumber() = default;
  ListedNumber(std::string found_at) : path(std::move(found_at)) {}
  ListedNumber(const char* found_at) : path(found_at) {}
  bool empty() const { return path.empty() && expression.empty() && given.empty(); }
};

/// The named numbers of an item, in their order: an expression may use those before it.
using ItemValues = std::vector<std::pair<std::string, ListedNumber>>;

/// What the results say. Series of an expression must be of one length, or of length 1. Throws InvalidArgument where a
/// path leads nowhere or lengths differ.
Series evaluate(const ListedNumber& number, const ItemValues& values, const nlohmann::ordered_json& results);

/// The paths on which it depends, through the values that it uses.
std::vector<std::string> paths_of(const ListedNumber& number, const ItemValues& values);

}  // namespace pithball::experiments
