#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments::paper {

/// What docs/ddef.md says of the errors, of the worst of all cases that the study holds.
std::vector<Claim> ddef_claims(const nlohmann::json& study);

}  // namespace pithball::experiments::paper
