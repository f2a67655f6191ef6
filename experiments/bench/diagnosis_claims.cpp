#include "experiments/bench/diagnosis_claims.hpp"

#include <cmath>

#include "experiments/bench/measurement_faults.hpp"

namespace pithball::experiments {

std::vector<Claim> diagnosis_claims(const MadeFault& fault, const DiagnosisFigures& figures) {
  const double recordings = figures.recordings;
  std::vector<Claim> claims;
  if (fault.name == "none") {
    constexpr double most = 0.04;  // 8 of 200; the level is 1 %
    const double chance = 4 * std::sqrt(most * (1 - most) / recordings),
                 stated = 4 * std::sqrt(most * (1 - most) / 200);
    claims.push_back(claim_at_most("complete model: alarms", figures.alarmed,
                                   std::ceil(recordings * (most + std::max(0.0, chance - stated))), "",
                                   "8 of 200 recordings at level 1 %, more by chance"));
  } else if (find_measurement_fault(fault.name)) {
    claims.push_back(claim_at_least(fault.name + ": it or what cannot be told from it stands first",
                                    figures.right_first, std::floor(0.85 * recordings), "", "17 of 20 recordings"));
    claims.push_back(claim_at_most(fault.name + ": a false force stands first", figures.force_first, 0, "", "none"));
  } else {
    claims.push_back(claim_at_least(fault.name + ": stands first", figures.right_first, std::floor(0.8 * recordings),
                                    "", "16 of 20 recordings"));
  }
  claims.push_back(
      claim_at_most(fault.name + ": cost in forward runs", figures.runs, 80, "", "one for each tangent or adjoint"));
  return claims;
}

}  // namespace pithball::experiments
