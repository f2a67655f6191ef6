#pragma once
#include <vector>

#include "experiments/bench/coulomb_bench.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// That the errors of all rows keep to what each method promises: `fmm` and `auto` their tolerance, sums over all pairs
/// the rounding of n terms. A claim for each method and tolerance, on the worst of its rows; none for methods that
/// promise nothing, and for rows without a yardstick.
std::vector<Claim> coulomb_claims(const std::vector<CoulombRow>& rows);

}  // namespace pithball::experiments
