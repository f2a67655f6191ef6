#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/captured/pendulum_encoder/study.hpp"

namespace pithball::experiments::pendulum_encoder {
namespace {

using nlohmann::json;

std::string value(const json& fit, const char* name, double unit, int digits) {
  if (!fit.contains(name)) return "-";
  const json& v = fit[name];
  std::string text = fmt::format("{:.{}f}", unit * v["estimate"].get<double>(), digits);
  if (v.contains("standard_error") && v["standard_error"].is_number())
    text += fmt::format(" ± {:.{}f}", unit * v["standard_error"].get<double>(), digits);
  return text;
}

std::string numbers(const json& list) {
  std::string text;
  for (const json& number : list) text += fmt::format("{}{:.2f}", text.empty() ? "" : ", ", number.get<double>());
  return text;
}

std::string errors(const json& e) {
  return fmt::format("{:.2f} ({})", e["all_mrad"].get<double>(), numbers(e["by_swing_mrad"]));
}

std::string fit_line(const std::string& title, const json& fit) {
  return fmt::format("{:<26} {:>17} {:>17} {:>17} {:>17}  {}\n", title, value(fit, "effective_length", 1e3, 3),
                     value(fit, "damping", 1, 4), value(fit, "quadratic", 1, 4), value(fit, "dry_deceleration", 1, 4),
                     errors(fit["fit"]));
}

}  // namespace

std::string to_text(const json& s) {
  std::string text = fmt::format("{:<26} {:>17} {:>17} {:>17} {:>17}  {}\n", "", "length [mm]", "damping [1/s]",
                                 "quadratic", "dry [rad/s²]", "rms of the angle [mrad] (by swing)");
  text += fit_line("published, run forward", s["published"]);
  for (const auto& [name, fit] : s["fits"].items()) text += fit_line(name, fit);
  if (s.contains("half_step")) text += fit_line("the last at half the step", s["half_step"]);
  text += fmt::format("\nForecast after {:.0f} s: rms of the angle [mrad] (by swing)\n",
                      s["forecast_from_s"].get<double>());
  for (const auto& [name, fit] : s["forecasts"].items())
    text += fmt::format("  {:<24} {}\n", name, errors(fit["forecast"]));
  return text + fmt::format("\nThe encoder shows {:.2f} mrad at rest.\n", s["rest_mrad"].get<double>()) +
         "length: effective, (I + m a²)/(m a); damping k/(I + m a²); quadratic c in φ″ = … − c |φ′| φ′; dry d in\n"
         "φ″ = … − d sign φ′. Errors are formal: residuals follow one another, so that they are too small.\n";
}

}  // namespace pithball::experiments::pendulum_encoder
