#include "experiments/bench/coverage_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pithball::experiments {

std::vector<Claim> coverage_claims(const CoverageCase& wanted, const CoverageFigures& figures) {
  // One of all claims is missed by chance once in a thousand runs.
  const auto chance = [](double share, double recordings) { return 4 * std::sqrt(share * (1 - share) / recordings); };
  constexpr double stated_for = 1000;  // recordings: fewer scatter more
  const auto widening = [&](double share) {
    return std::max(0.0, chance(share, figures.recordings) - chance(share, stated_for));
  };
  const double least = wanted.least - widening(0.95);
  const double most = wanted.most + widening(0.95);  // above 1: as many as there are
  const std::string name = wanted.name + ", " + wanted.body + ": ";
  std::vector<Claim> claims;
  for (std::size_t k = 0; k < figures.parameters.size(); ++k)
    claims.push_back(claim_within(
        name + "intervals (95 %) that hold the truth, " + figures.parameters[k], figures.coverage(k),
        (least + most) / 2, (most - least) / 2, "",
        fmt::format("{:.1f} to {:.1f} %, wider for few recordings", 100 * wanted.least, 100 * wanted.most)));
  if (!wanted.is_flawless) return claims;
  constexpr double most_alarms = 0.03;  // 6 of 200
  claims.push_back(claim_at_most(name + "false alarms", figures.alarmed,
                                 std::ceil(figures.recordings * (most_alarms + widening(most_alarms))), "",
                                 "3 of 100 recordings with which nothing is wrong, more by chance"));
  return claims;
}

}  // namespace pithball::experiments
