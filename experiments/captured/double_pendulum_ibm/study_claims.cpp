#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/double_pendulum_ibm/study.hpp"

namespace pithball::experiments::double_pendulum_ibm {

std::vector<Claim> to_claims(const nlohmann::json& s) {
  const auto spread = [&](const char* name) {
    if (!s.contains("recordings")) return s[name]["standard_error"].get<double>();
    const double a = s["recordings"][0][name]["estimate"], b = s["recordings"][1][name]["estimate"];
    return std::abs(a - b) / 2;
  };
  const nlohmann::json& f = s["forecast"];
  const double best = std::min(f["static_mm"].get<double>(), f["constant_velocity_mm"].get<double>());
  const double gravity = s["gravity"]["estimate"];
  const char* windows = "not published; the case's page, from other windows and recordings, with their spread";
  std::vector<Claim> claims{
      claim_word("the fit", s["status"], "converged", "all windows together"),
      claim_at_most("misses of the fit", s["rms_mm"], 0.5, "mm",
                    "the tracked arms' lengths scatter by 0.3 mm; point masses are not quite arms"),
      claim_within("ratio of the masses", s["mass"]["estimate"], 0.157, 0.004, "", windows),
      claim_within("gravity in the tracks' scale", gravity, 0.647, 0.003, "g", windows),
      claim_within("gravity with the published scale and rate", gravity, 1, 0.01, "g", ""),
      claim_better("0.4 s forecast: misses", f["rms_mm"], best, "best baseline", "mm",
                   "what stays or keeps its velocity; chaos bounds every forecast")};
  claims[2].error = spread("mass");
  claims[3].error = claims[4].error = spread("gravity");
  claims[4].differs =
      "arms of 91 mm and 400 frames/s are inconsistent: either the scale or the frame rate is wrong, and the motion "
      "does not determine which";
  return claims;
}

}  // namespace pithball::experiments::double_pendulum_ibm
