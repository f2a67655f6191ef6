#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/tshirt_obj_sequence/study.hpp"

namespace pithball::experiments::tshirt_obj_sequence {
namespace {

using nlohmann::json;

constexpr const char* shirt_values[] = {"stiffness", "wind_x", "wind_y", "wind_z"};

/// Least and largest estimate over all runs.
std::pair<double, double> range_of(const json& study, const std::string& name) {
  double low = INFINITY, high = -INFINITY;
  for (const json& run : study["runs"]) {
    const double found = run[name]["estimate"];
    low = std::min(low, found);
    high = std::max(high, found);
  }
  return {low, high};
}

/// Half the range; of one run, its formal error.
double spread_of(const json& study, const std::string& name) {
  if (study["runs"].size() == 1) return study["runs"][0][name]["standard_error"];
  const auto [low, high] = range_of(study, name);
  return (high - low) / 2;
}

}  // namespace

std::string to_text(const json& study) {
  std::string text = fmt::format("{:<34} {:>9} {:>10} {:>9} {:>9} {:>9} {:>10} {:>10}\n", "", "particles", "stiffness",
                                 "wind x", "wind y", "wind z", "fit [mm]", "forecast");
  const json& put_in = study["put_in"];
  text += fmt::format("{:<34} {:>9} {:>10.0f} {:>9.4f} {:>9.4f} {:>9.4f}\n", "put in", "",
                      put_in["stiffness"].get<double>(), put_in["wind_x"].get<double>(), put_in["wind_y"].get<double>(),
                      put_in["wind_z"].get<double>());
  for (const json& run : study["runs"]) {
    text += fmt::format("{:<34} {:>9}", run["title"].get<std::string>(), run["particles"].get<int>());
    const auto found = [&](const char* name) { return run[name]["estimate"].get<double>(); };
    text += fmt::format(" {:>10.0f} {:>9.4f} {:>9.4f} {:>9.4f}", found("stiffness"), found("wind_x"), found("wind_y"),
                        found("wind_z"));
    text += fmt::format(" {:>10.1f} {:>10.1f}{}\n", run["rms_mm"].get<double>(), run["forecast_mm"].get<double>(),
                        run["status"] == "converged" ? "" : "  " + run["status"].get<std::string>());
  }
  const json& first = study["runs"][0];
  return text + fmt::format(
                    "\nForecast of the first run: {:.0f} mm; does not move {:.0f} mm, constant velocity {:.0f} mm.\n"
                    "What is left of the fit is the network's own error: the range over the runs counts, not the\n"
                    "formal errors. The stiffness put in is that of even springs with the program's modulus of 556.\n",
                    first["forecast_mm"].get<double>(), first["forecast_still_mm"].get<double>(),
                    first["forecast_constant_velocity_mm"].get<double>());
}

std::vector<CaseRow> to_rows(const json& study) {
  std::vector<CaseRow> rows;
  for (const char* name : shirt_values) {
    const double put_in = study["put_in"][name];
    const auto [low, high] = range_of(study, name);
    const bool several = study["runs"].size() > 1;
    const char* verdict = !several                          ? "of a coarse mesh"
                          : low <= put_in && put_in <= high ? "within the range"
                                                            : "outside";
    rows.push_back({name, study["runs"][0][name]["estimate"], spread_of(study, name), "",
                    fmt::format("{:.4g} put in", put_in),
                    name == std::string("stiffness") ? "softer: the network is another material" : verdict});
  }
  const json& first = study["runs"][0];
  const double best =
      std::min(first["forecast_still_mm"].get<double>(), first["forecast_constant_velocity_mm"].get<double>());
  rows.push_back({"forecast of unseen frames: misses", first["forecast_mm"], NAN, "mm",
                  fmt::format("best baseline {:.0f} mm", best),
                  first["forecast_mm"].get<double>() < best ? "better" : "no better"});
  return rows;
}

}  // namespace pithball::experiments::tshirt_obj_sequence
