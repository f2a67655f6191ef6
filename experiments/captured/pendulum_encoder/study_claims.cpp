#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/pendulum_encoder/study.hpp"

namespace pithball::experiments::pendulum_encoder {

std::vector<Claim> to_claims(const nlohmann::json& s) {
  constexpr const char* best = "quadratic_and_dry";
  const auto misses = [](const nlohmann::json& fit) { return fit["fit"]["all_mrad"].get<double>(); };
  const nlohmann::json &fit = s["fits"][best], &forecasts = s["forecasts"], &friction = fit["dry_deceleration"];
  const auto ahead = [&](const char* name) { return forecasts[name]["forecast"]["all_mrad"].get<double>(); };
  const double l = fit["effective_length"]["estimate"], published = s["published"]["effective_length"]["estimate"];
  Claim effective =
      claim_within("effective length", 1e3 * l, 1e3 * published, 0.005 * 1e3 * published, "mm",
                   "published, from accelerations; another law of friction moves it by tenths of a percent");
  // What half the step changes outweighs what the laws of friction and the formal error say.
  if (s.contains("half_step"))
    effective.error = 1e3 * std::abs(s["half_step"]["effective_length"]["estimate"].get<double>() - l);
  return {claim_word("the fit with quadratic and dry friction", fit["status"], "converged", "all four swings together"),
          effective,
          claim_shown("dry friction of the bearing", friction["estimate"], friction["standard_error"], "rad/s²",
                      "published is linear damping alone; the error is formal and means little"),
          claim_better("angle: misses", misses(fit), misses(s["published"]), "published values", "mrad",
                       "values fitted to accelerations are not those of the motion"),
          claim_better("the same in addition to linear damping", misses(fit), misses(s["fits"]["linear"]),
                       "linear damping, fitted", "mrad", "air brakes with the square, a dry bearing with a constant"),
          claim_better("angle after 6 s, forecast: misses", ahead(best), ahead("damped_sinusoid"), "damped sinusoid",
                       "mrad", "a sinusoid has one frequency, a pendulum's depends on how far it swings")};
}

}  // namespace pithball::experiments::pendulum_encoder
