#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::experiments {

/// The values of a listed number, side by side. An empty entry: the list leaves this one out (`none`). NaN: the results
/// have no value.
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

/// The numbers according to the results. Series of an expression must be of one length, or of length 1. Throws
/// InvalidArgument where a path leads nowhere or lengths differ.
Series evaluate(const ListedNumber& number, const ItemValues& values, const nlohmann::ordered_json& results);

/// The paths on which it depends, through the values that it uses.
std::vector<std::string> paths_of(const ListedNumber& number, const ItemValues& values);

/// What the numbers of an item may refer to.
struct NumberScope {
  std::vector<std::string> runs;  ///< the first steps of paths
  ItemValues values;              ///< that were read so far
};

/// A number below a key: a path into the results, the name of a value, or an expression in such names under the name of
/// a reduction, {median: charge/published}. Throws InvalidArgument for a path that leads into no run, or an unknown
/// name.
ListedNumber read_listed_number(app::Node& node, const std::string& key, const NumberScope& scope);

/// The same where several numbers are allowed: also an expression for each entry of a series, {each: charge/published},
/// or numbers written out, where `none` leaves one out.
ListedNumber read_item_value(app::Node& node, const std::string& key, const NumberScope& scope);

/// The values of an item, a mapping below `values` of names to such numbers.
void read_item_values(app::Node& item, NumberScope& scope);

/// Returns the one key that is present, which says how the value is given; exactly one of them must be.
std::string read_only_one(app::Node& node, const std::vector<std::string>& keys);

}  // namespace pithball::experiments
