#pragma once
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/claim/claim.hpp"
#include "experiments/claim_list/listed_number.hpp"

namespace pithball::experiments {

/// A claim of a list, and where its numbers are in the results of its item's runs.
struct ListedClaim {
  Claim claim;               ///< without what is measured; of BetterThan also without what the rival has
  ListedNumber find;         ///< ours
  ListedNumber over;         ///< a number by which ours is divided; empty: by none
  ListedNumber rival;        ///< of BetterThan: the rival's
  ListedNumber error;        ///< standard error or spread of ours; empty: none
  double within_errors = 0;  ///< of Within: the tolerance in that error; 0: it is the claim's own
  bool whole_only = false;   ///< judged in the whole variant only
};

/// The claim completed from the results {run: result}. A null there, as left by a diverged run, counts as nothing
/// measured; a path that leads nowhere is a failure, since the list is wrong or a run could not be made. Against a
/// rival, differences up to 5 % count as equally good.
Claim measured_claim(const ListedClaim& listed, const nlohmann::ordered_json& results, const ItemValues& values = {});

/// The claim as one that is not judged, and why: "needs the whole run".
Claim skipped_claim(const ListedClaim& listed, const std::string& why);

/// A table of an item: columns of numbers, or of texts that a path leads to, with a row for each entry.
struct ItemTable {
  std::string title;
  std::vector<std::pair<std::string, ListedNumber>> columns;  ///< by their labels
};

/// The table filled in: {title, columns: [label], rows: [[cell]]}; a cell is a number, a text or null. Columns that
/// depend on runs that were not made are left out, and a column of one entry is repeated in every row.
nlohmann::ordered_json fill_table(const ItemTable& table, const ItemValues& values,
                                  const nlohmann::ordered_json& results);

/// Filled tables as text, each under its title, numbers with four digits.
std::string tables_text(const nlohmann::ordered_json& tables);

}  // namespace pithball::experiments
