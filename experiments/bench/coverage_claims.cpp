#include "experiments/bench/coverage_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pithball::experiments {

namespace {

/// Of recordings with a fault: intervals hold the truth in `least_held`, or the fault is named in 95 %.
Claim fault_claim(const std::string& what, double coverage, double named, double least_held, double widening) {
  constexpr double least_named = 0.95;
  const bool is_held = coverage >= least_held - widening;
  return claim_at_least(
      what + (is_held ? "intervals (95 %) that hold the truth" : "fits that name the fault"),
      is_held ? coverage : named, (is_held ? least_held : least_named) - widening, "",
      fmt::format("{:.0f} % of intervals hold the truth, or 95 % of fits name the fault", 100 * least_held));
}

}  // namespace

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
  const bool is_faulty = wanted.fault || wanted.filming.differing > 0;
  const auto at_most = [&](const char* what, int count, double share, const char* source) {
    return claim_at_most(name + what, count, std::ceil(figures.recordings * (share + widening(share))), "", source);
  };
  std::vector<Claim> claims;
  for (std::size_t k = 0; k < figures.parameters.size(); ++k)
    claims.push_back(is_faulty ? fault_claim(name + figures.parameters[k] + ": ", figures.coverage(k),
                                             static_cast<double>(figures.named) / figures.recordings, wanted.least,
                                             widening(0.95))
                               : claim_within(name + "intervals (95 %) that hold the truth, " + figures.parameters[k],
                                              figures.coverage(k), (least + most) / 2, (most - least) / 2, "",
                                              fmt::format("{:.1f} to {:.1f} %, wider for few recordings",
                                                          100 * wanted.least, 100 * wanted.most)));
  if (is_faulty) return claims;
  if (!wanted.is_flawless) {
    claims.push_back(at_most("doubtful fits", figures.count("doubtful"), 0.05,
                             "5 of 100 recordings whose noise the intervals account for, more by chance"));
    return claims;
  }
  claims.push_back(at_most("false alarms", figures.alarmed, 0.03,
                           "3 of 100 recordings with which nothing is wrong, more by chance"));
  claims.push_back(at_most("other grades than \"fits\"", figures.recordings - figures.count("converged"), 0.005,
                           "5 of 1,000 recordings with which nothing is wrong, more by chance"));
  return claims;
}

}  // namespace pithball::experiments
