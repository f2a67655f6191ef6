#pragma once
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "experiments/claim_list/listed_number.hpp"

namespace pithball::experiments {

/// What the numbers of an item may refer to.
struct NumberScope {
  std::vector<std::string> runs;  ///< the first steps of paths
  ItemValues values;              ///< that were read so far
};

/// A number below a key: a path into the results, the name of a value, or an expression in such names under the name of
/// a reduction, {median: charge/published}. Throws InvalidArgument for a path that leads into no run, or an unknown
/// name.
ListedNumber read_listed_number(app::Node& node, const std::string& key, const NumberScope& scope);

/// The same where several numbers may stand: also an expression for each entry of a series, {each: charge/published},
/// or numbers written out, of which `none` leaves one out.
ListedNumber read_item_value(app::Node& node, const std::string& key, const NumberScope& scope);

/// The values of an item, a mapping below `values` of names to such numbers.
void read_item_values(app::Node& item, NumberScope& scope);

/// Exactly one of the keys, which says what the value is.
std::string read_only_one(app::Node& node, const std::vector<std::string>& keys);

}  // namespace pithball::experiments
