#pragma once
#include <vector>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// What every command says of it in its help.
inline constexpr const char* missed_claim_help = "A missed claim ends with status 1.";

/// What the shell is told: 1 if any claim is missed, otherwise 0.
int exit_status(const std::vector<ClaimGroup>& groups);
int exit_status(const std::vector<Claim>& claims);

}  // namespace pithball::experiments
