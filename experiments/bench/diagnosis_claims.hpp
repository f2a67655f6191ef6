#pragma once
#include <vector>

#include "experiments/bench/diagnosis_bench.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// What a diagnosis must find: the fault first in 16 of 20 recordings, one of the measurement in 17 and a force in
/// none; at most 8 alarms of 200 where nothing is missing (wider for few recordings), and a cost of at most 80 runs.
std::vector<Claim> diagnosis_claims(const MadeFault& fault, const DiagnosisFigures& figures);

}  // namespace pithball::experiments
