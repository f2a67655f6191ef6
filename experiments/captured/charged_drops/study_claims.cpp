#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/charged_drops/study.hpp"
#include "experiments/captured/statistics.hpp"
#include "experiments/claim/worst.hpp"

namespace pithball::experiments::charged_drops {

std::vector<Claim> to_claims(const nlohmann::json& study) {
  std::vector<double> ratios;
  Worst parabola;
  double undetermined = 0;
  for (const nlohmann::json& d : study["drops"]) {
    if (!(d["widened_error"].get<double>() <= 0.5 * std::abs(d["charge"].get<double>()))) ++undetermined;
    if (d["over_published"].is_number()) ratios.push_back(d["over_published"]);
    parabola.add(std::abs(d["charge_without_drag"].get<double>() / d["full_acceleration"].get<double>() - 1));
  }
  // Of the drop that has no published charge the ratio is NaN; a median would put it anywhere.
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio); });
  const double ratio = median(ratios);
  std::vector<double> deviations;
  for (const double r : ratios) deviations.push_back(std::abs(r - ratio));
  Claim factor = claim_within("charge / published charge, median", ratio, 2, 0.3, "",
                              "their formula takes half of the acceleration; drag, which they leave out, moves charges "
                              "by up to 15 %");
  factor.error = 1.4826 * median(std::move(deviations));  // a standard deviation, were they normal
  std::vector<Claim> claims{
      factor,
      claim_at_most("charge without drag, over that of the authors' parabola: off by", parabola.largest(), 1e-4, "",
                    "the same model; the published recomputation has five digits"),
      claim_at_most("drops whose charge is not identifiable", undetermined, 1, "",
                    fmt::format("of {}: the track of 05718 scatters by a millimeter", study["drops"].size()))};
  if (study.contains("half_step_in_standard_errors"))
    claims.push_back(claim_at_most("largest change at half the step, in standard errors",
                                   study["half_step_in_standard_errors"], 0.1, "",
                                   "a tenth of a standard error adds nothing to it"));
  return claims;
}

}  // namespace pithball::experiments::charged_drops
