#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/claim_list/listed_number.hpp"

namespace pithball::experiments {

/// A table of an item: columns of numbers, or of texts that a path leads to, with a row for each entry.
struct ItemTable {
  std::string title;
  std::vector<std::pair<std::string, ListedNumber>> columns;  ///< by their labels
};

/// The table filled in: {title, columns: [label], rows: [[cell]]}; a cell is a number, a text or null. Columns that
/// depend on runs that were not made are left out, and a column of one entry stands in every row.
nlohmann::ordered_json fill_table(const ItemTable& table, const ItemValues& values,
                                  const nlohmann::ordered_json& results);

/// Filled tables as text, each under its title, numbers with four digits.
std::string tables_text(const nlohmann::ordered_json& tables);

}  // namespace pithball::experiments
