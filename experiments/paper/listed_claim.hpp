#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::paper {

/// A claim of the list, and where our number stands in the results of its item's runs (find_result).
struct ListedClaim {
  Claim claim;              ///< without what is measured; of BetterThan also without what the paper's own method has
  std::string find;         ///< ours
  std::string over;         ///< a number by which ours is divided; empty: by none
  std::string rival;        ///< of BetterThan: that of the paper's own method
  bool whole_only = false;  ///< judged in the whole variant only
};

/// The claim with what the results {run: result} say to it. A null there, as a diverged run leaves it, is nothing
/// measured; a path that leads nowhere is a failure, since the list is wrong or a run could not be made. Against the
/// paper's own method, 5 % count as equally good.
Claim measured_claim(const ListedClaim& listed, const nlohmann::ordered_json& results);

/// The claim as one that is not judged, and why: "needs the whole run".
Claim skipped_claim(const ListedClaim& listed, const std::string& why);

}  // namespace pithball::experiments::paper
