#pragma once
#include <vector>

#include "experiments/bench/recovery_bench.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// That all fits of a case converged, and that its intervals hold the truth as often as they say.
std::vector<Claim> recovery_claims(const RecoveryCase& spoilt, const RecoveryFigures& figures);

}  // namespace pithball::experiments
