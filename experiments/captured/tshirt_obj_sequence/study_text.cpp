#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/captured/tshirt_obj_sequence/study.hpp"

namespace pithball::experiments::tshirt_obj_sequence {

using nlohmann::json;

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
  return text +
         fmt::format(
             "\nForecast of the first run: {:.0f} mm; baselines: static {:.0f} mm, constant velocity {:.0f} mm.\n"
             "What is left of the fit is the network's own error: the range over the runs counts, not the\n"
             "formal errors. The stiffness put in is that of even springs with the program's modulus of 556.\n",
             first["forecast_mm"].get<double>(), first["forecast_static_mm"].get<double>(),
             first["forecast_constant_velocity_mm"].get<double>());
}

}  // namespace pithball::experiments::tshirt_obj_sequence
