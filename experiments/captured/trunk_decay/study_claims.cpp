#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/trunk_decay/study.hpp"
#include "experiments/claim/worst.hpp"

namespace pithball::experiments::trunk_decay {
namespace {

using nlohmann::json;

double worst(const json& rows, double (*measure)(const json&)) {
  Worst found;
  for (const json& row : rows) found.add(measure(row));
  return found.largest();
}

double frequency_error(const json& row) { return std::abs(row["frequency_error"].get<double>()); }

double over_rest(const json& row) {
  Worst found;
  for (const char* measure : {"median", "pooled"}) found.add(row["tip_over_rest"][measure]);
  return found.largest();
}

double over_sinusoid(const json& row) {
  Worst found;
  for (const char* measure : {"median", "pooled"})
    found.add(row["tip_over_rest"][measure].get<double>() / row["sinusoid_over_rest"][measure].get<double>());
  return found.largest();
}

/// The limits of the case's page, fixed before fitting.
void add_limits(const json& s, std::vector<Claim>& claims) {
  const json& main = s["fits"][0];
  const char* asked = "required before fitting; the worse load";
  claims.push_back(claim_word("the fit", main["status"], "converged", "both loads together"));
  claims.push_back(claim_at_most("fitted releases: median frequency, relative error",
                                 worst(main["fitted"], frequency_error), 0.03, "", asked));
  claims.push_back(claim_at_most("unused releases: median frequency, relative error",
                                 worst(main["unused"], frequency_error), 0.05, "", asked));
  claims.push_back(claim_at_most("unused releases: tip RMS over static baseline", worst(main["unused"], over_rest),
                                 0.45, "", "required before fitting; the worse load and measure"));
  claims.push_back(claim_at_most("unused releases: tip RMS over the damped sinusoid's",
                                 worst(main["unused"], over_sinusoid), 1, "",
                                 "no worse than a sinusoid for each load; the worse load and measure"));
  claims.push_back(claim_at_most("change of the damping at half the step",
                                 std::abs(s["change_at_half_step"][1].get<double>()), 0.05, "",
                                 "less than its spread over choices of releases, 8 %"));
}

void add_prediction(const json& p, std::vector<Claim>& claims) {
  const auto add = [&](const char* name, const char* key, const char* interval, const char* unit) {
    const double half = p.contains(interval) ? (p[interval][1].get<double>() - p[interval][0].get<double>()) / 2 : NAN;
    claims.push_back(claim_shown(fmt::format("{} g, small swings: {}", p["load_g"].get<int>(), name), p[key], half,
                                 unit, "a prediction, no recording; error: half of 95 %"));
  };
  add("tip frequency", "frequency_hz", "frequency_interval", "Hz");
  add("decay", "decay_per_s", "decay_interval", "1/s");
}

}  // namespace

std::vector<Claim> to_claims(const json& s) {
  std::vector<Claim> claims;
  const bool spread = s.contains("relative_spread");
  for (std::size_t k = 0; k < 3; ++k) {
    const json& p = s["fits"][0]["parameters"][k];
    const double value = p["estimate"],
                 relative = (spread ? s["relative_spread"][k] : p["relative_standard_error"]).get<double>();
    claims.push_back(claim_shown(p["name"], value, value * relative, p["unit"],
                                 spread ? "of this truss; error: spread over five choices of releases"
                                        : "of this truss; error: formal, ten times too small"));
  }
  for (const json& load : s["fits"][0]["unused"]) {
    const double recorded = load["frequency_data_hz"];
    claims.push_back(claim_within(fmt::format("unused releases, {} g: frequency", load["load_g"].get<int>()),
                                  load["frequency_model_hz"], recorded, 0.05 * recorded, "Hz",
                                  "recorded; 5 % were required before fitting"));
  }
  add_prediction(s["prediction"], claims);
  add_limits(s, claims);
  return claims;
}

}  // namespace pithball::experiments::trunk_decay
