#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/claim/claim.hpp"
#include "experiments/claim_list/listed_number.hpp"

namespace pithball::experiments {

/// A claim of a list, and where its numbers stand in the results of its item's runs.
struct ListedClaim {
  Claim claim;               ///< without what is measured; of BetterThan also without what the rival has
  ListedNumber find;         ///< ours
  ListedNumber over;         ///< a number by which ours is divided; empty: by none
  ListedNumber rival;        ///< of BetterThan: the rival's
  ListedNumber error;        ///< standard error or spread of ours; empty: none
  double within_errors = 0;  ///< of Within: the tolerance in that error; 0: it is the claim's own
  bool whole_only = false;   ///< judged in the whole variant only
};

/// The claim with what the results {run: result} say to it. A null there, as a diverged run leaves it, is nothing
/// measured; a path that leads nowhere is a failure, since the list is wrong or a run could not be made. Against a
/// rival, 5 % count as equally good.
Claim measured_claim(const ListedClaim& listed, const nlohmann::ordered_json& results, const ItemValues& values = {});

/// The claim as one that is not judged, and why: "needs the whole run".
Claim skipped_claim(const ListedClaim& listed, const std::string& why);

}  // namespace pithball::experiments
