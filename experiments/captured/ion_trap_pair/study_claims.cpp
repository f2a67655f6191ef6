#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/ion_trap_pair/study.hpp"

namespace pithball::experiments::ion_trap_pair {

std::vector<Claim> to_claims(const nlohmann::json& s) {
  std::vector<Claim> claims;
  for (const nlohmann::json& g : s["balance"]["grains"]) {
    claims.push_back(claim_within("charge of the " + g["grain"].get<std::string>() + " grain, at rest",
                                  1e13 * g["charge"].get<double>(), 5.3, 0.53, "e-13 C",
                                  "the recording's own page has 5.1 and 5.5; another smoothing changes them by 10 %"));
    claims.back().error = 1e13 * g["standard_error"].get<double>();
  }
  claims.push_back(
      claim_at_most("difference of the two, in its standard errors", s["balance"]["difference_in_standard_errors"], 2,
                    "", "each grain weighs the other's charge, and they are alike: intervals of 95 % overlap"));
  const double sudden = s["sudden"]["rms_mm"];
  claims.push_back(claim_shown("motion, sudden switch: misses", sudden, NAN, "mm", "electrodes that jump"));
  claims.push_back(claim_at_most("motion, gradual switch: misses", s["gradual"]["rms_mm"], sudden / 2, "mm",
                                 "half of what electrodes that jump miss; a pixel is 0.075 mm: still too simple"));
  if (s.contains("forecast")) {
    const nlohmann::json& f = s["forecast"]["forecast"];
    claims.push_back(claim_better("motion after 3 s, forecast: misses", f["rms_mm"],
                                  std::min(f["constant_velocity_mm"].get<double>(), f["static_mm"].get<double>()),
                                  "best baseline", "mm", "what stays or keeps its velocity"));
  }
  return claims;
}

}  // namespace pithball::experiments::ion_trap_pair
