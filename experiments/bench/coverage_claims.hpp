#pragma once
#include <vector>

#include "experiments/bench/coverage_bench.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// What intervals must hold in a case: `least` to `most` of the recordings, which widen with the scatter of a share of
/// few recordings; and that a flawless one raises no alarm.
std::vector<Claim> coverage_claims(const CoverageCase& wanted, const CoverageFigures& figures);

}  // namespace pithball::experiments
