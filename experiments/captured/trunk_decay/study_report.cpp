#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/trunk_decay/study.hpp"
#include "experiments/claim/statistics.hpp"

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

/// Adds the claims with limits that were fixed before fitting, and are stated on the page of the case.
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

namespace {

std::string table_of(const json& rows, const std::string& title) {
  std::string text;
  for (const json& r : rows)
    text += fmt::format(
        "  {:<7} {} g, {:2} releases: tip {:.3f} Hz recorded, {:.3f} Hz model ({:+.1f} %); RMS bodies 1-3 {:.2f} / "
        "{:.2f} / {:.2f} mm;\n"
        "          tip RMS over static baseline: model {:.3f} (median) {:.3f} (pooled), damped sinusoid {:.3f} / "
        "{:.3f}\n",
        title, r["load_g"].get<int>(), r["releases"].get<int>(), r["frequency_data_hz"].get<double>(),
        r["frequency_model_hz"].get<double>(), 100 * r["frequency_error"].get<double>(), r["rms_mm"][0].get<double>(),
        r["rms_mm"][1].get<double>(), r["rms_mm"][2].get<double>(), r["tip_over_rest"]["median"].get<double>(),
        r["tip_over_rest"]["pooled"].get<double>(), r["sinusoid_over_rest"]["median"].get<double>(),
        r["sinusoid_over_rest"]["pooled"].get<double>());
  return text;
}

std::string parameters_of(const json& list) {
  std::string text;
  for (const json& p : list)
    text += fmt::format("{} {:.4g} {} (± {:.1f} %)  ", p["name"].get<std::string>(), p["estimate"].get<double>(),
                        p["unit"].get<std::string>(), 100 * p["relative_standard_error"].get<double>());
  return text;
}

std::string prediction_text(const json& p) {
  const auto with_interval = [&](const char* name, const char* unit, const char* interval) {
    std::string shown = fmt::format("{:.3f} {}", p[name].get<double>(), unit);
    if (p.contains(interval))
      shown += fmt::format(" [{:.3f}, {:.3f}]", p[interval][0].get<double>(), p[interval][1].get<double>());
    return shown;
  };
  return fmt::format(
      "Predicted small swings at {} g, of which there is no recording: tip {}, decay {}{}\n", p["load_g"].get<int>(),
      with_interval("frequency_hz", "Hz", "frequency_interval"), with_interval("decay_per_s", "1/s", "decay_interval"),
      p.contains("frequency_interval") ? fmt::format(" (95 %, {} draws of releases)", p["repetitions"].get<int>())
                                       : "");
}

std::string opposite_peak_text(const json& o) {
  const std::string text = fmt::format(
      "\nThe same fit from the first opposite peak (amplitudes {:.0f} / {:.0f} mm), {}:\n  {}\n  condition {:.1f}; "
      "damped sinusoids fitted to the tip: recorded {:.2f} / {:.2f} Hz, model {:.2f} / {:.2f} Hz\n",
      o["amplitude_mm"][0].get<double>(), o["amplitude_mm"][1].get<double>(), o["status"].get<std::string>(),
      parameters_of(o["parameters"]), o["condition_of_scaled_jacobian"].get<double>(),
      o["sinusoid_hz"][0].get<double>(), o["sinusoid_hz"][1].get<double>(),
      o["fitted"][0]["sinusoid_model_hz"].get<double>(), o["fitted"][1]["sinusoid_model_hz"].get<double>());
  return text + table_of(o["fitted"], "large");
}

std::string both_text(const json& both) {
  std::string text;
  for (const auto& [name, fit] : both.items()) {
    text += fmt::format("\nSmall and large swings in one fit, {} ({}):\n  {}", name, fit["status"].get<std::string>(),
                        parameters_of(fit["parameters"]));
    if (fit.contains("dry_friction_n"))
      text += fmt::format("dry friction {:.3g} N at each of 18 points", fit["dry_friction_n"].get<double>());
    text +=
        fmt::format(
            "\n  damped sinusoids fitted to the model's tip: small {:.2f} / {:.2f} Hz, large {:.2f} / {:.2f} Hz\n",
            fit["small"][0]["sinusoid_model_hz"].get<double>(), fit["small"][1]["sinusoid_model_hz"].get<double>(),
            fit["large"][0]["sinusoid_model_hz"].get<double>(), fit["large"][1]["sinusoid_model_hz"].get<double>()) +
        table_of(fit["small"], "small") + table_of(fit["large"], "large");
  }
  return text;
}

}  // namespace

std::string to_text(const json& s) {
  std::string text = "Left out:\n";
  for (const json& r : s["left_out"])
    text += fmt::format("  {}: {}\n", r["release"].get<std::string>(), r["reason"].get<std::string>());
  for (const json& fit : s["fits"]) {
    text += fmt::format("\nFitted: {} ({})\n  {}\n  condition of the scaled Jacobian {:.1f}\n",
                        fit["choice"].get<std::string>(), fit["status"].get<std::string>(),
                        parameters_of(fit["parameters"]), fit["condition_of_scaled_jacobian"].get<double>());
    text += table_of(fit["fitted"], "fitted") + table_of(fit["unused"], "unused");
  }
  if (s.contains("relative_spread"))
    text += fmt::format(
        "\nSpread over the choices of fitted releases: axial_rigidity {:.1f} %, axial_viscosity {:.1f} %, own_mass "
        "{:.1f} %\n",
        100 * s["relative_spread"][0].get<double>(), 100 * s["relative_spread"][1].get<double>(),
        100 * s["relative_spread"][2].get<double>());
  text +=
      fmt::format("Change at half the step: axial_rigidity {:+.2f} %, axial_viscosity {:+.2f} %, own_mass {:+.2f} %\n",
                  100 * s["change_at_half_step"][0].get<double>(), 100 * s["change_at_half_step"][1].get<double>(),
                  100 * s["change_at_half_step"][2].get<double>());
  text += prediction_text(s["prediction"]);
  if (s.contains("opposite_peak")) text += opposite_peak_text(s["opposite_peak"]);
  if (s.contains("both")) text += both_text(s["both"]);
  return text;
}

}  // namespace pithball::experiments::trunk_decay
