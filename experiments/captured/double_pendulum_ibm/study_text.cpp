#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/captured/double_pendulum_ibm/study.hpp"

namespace pithball::experiments::double_pendulum_ibm {
namespace {

using nlohmann::json;

std::string line(const std::string& title, const json& fit) {
  const json &m = fit["mass"], &g = fit["gravity"];
  return fmt::format("{:<24} {:.4f} ± {:.4f}   {:.4f} ± {:.4f}   {:.2f} mm   {}\n", title, m["estimate"].get<double>(),
                     m["standard_error"].get<double>(), g["estimate"].get<double>(), g["standard_error"].get<double>(),
                     fit["rms_mm"].get<double>(), fit["status"].get<std::string>());
}

}  // namespace

std::string to_text(const json& s) {
  std::string text = fmt::format("{:<24} {:<17} {:<17} {}\n", "", "mass ratio", "gravity / 9.81", "rms of the fit");
  text += line(fmt::format("all {} windows", s["windows"].get<int>()), s);
  if (s.contains("half_step")) {
    text += line("windows of recording 0", s["recordings"][0]) + line("windows of recording 1", s["recordings"][1]) +
            line("all at half the step", s["half_step"]);
  }
  text += fmt::format(
      "\nGravity below 9.81 m/s² means longer arms or faster frames than published: {:.1f} mm for the first arm at\n"
      "400 frames a second, or {:.0f} frames a second with an arm of 91 mm.\n\nForecast after 0.2 s of fitted "
      "motion:\n",
      1e3 * s["arm_at_400_per_second"].get<double>(), s["rate_with_arm_of_91_mm"].get<double>());
  for (const json& bin : s["forecast"]["by_time"])
    text += fmt::format("  up to {:.1f} s later: rms {:.1f} mm, median {:.1f} mm\n", bin["until_s"].get<double>(),
                        bin["rms_mm"].get<double>(), bin["median_mm"].get<double>());
  return text + fmt::format("  all: RMS {:.1f} mm; baselines: static {:.0f} mm, constant velocity {:.0f} mm\n",
                            s["forecast"]["rms_mm"].get<double>(), s["forecast"]["static_mm"].get<double>(),
                            s["forecast"]["constant_velocity_mm"].get<double>());
}

}  // namespace pithball::experiments::double_pendulum_ibm
