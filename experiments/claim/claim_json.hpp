#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// Claims as rows {quantity, value, error, unit, comparison, expected, tolerance, rival, verdict, holds, remark, why}.
/// A value that is not there is null; `holds` is null where nothing was judged.
nlohmann::ordered_json rows_of_claims(const std::vector<Claim>& claims);

}  // namespace pithball::experiments
