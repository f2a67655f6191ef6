#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/ion_trap_pair/study.hpp"

namespace pithball::experiments::ion_trap_pair {
namespace {

using nlohmann::json;

std::string fit_line(const std::string& title, const json& fit) {
  std::string text =
      fmt::format("  {:<34} rms {:.2f} mm ({})", title, fit["rms_mm"].get<double>(), fit["status"].get<std::string>());
  for (const json& p : fit["parameters"])
    text += fmt::format("\n      {:<16} {:.3g} {} (± {:.1g} formal)", p["name"].get<std::string>(),
                        p["estimate"].get<double>(), p["unit"].get<std::string>(),
                        p["standard_error"].is_number() ? p["standard_error"].get<double>() : NAN);
  return text + "\n";
}

std::string with_time_constant(const std::string& title, const json& fit) {
  return fmt::format("{}, {:.1f} s", title, fit["time_constant"].get<double>());
}

}  // namespace

std::string to_text(const json& s) {
  const json& balance = s["balance"];
  std::string text = fmt::format("Before the switch the grains rest {:.2f} mm apart. Each weighs the other's charge:\n",
                                 balance["separation_mm"].get<double>());
  for (const json& g : balance["grains"])
    text += fmt::format(
        "  {:<5} grain {:.2f} ± {:.2f} e-13 C (table {:.2f}, origin of the tracks {:.2f}, scatter of positions "
        "{:.2f})\n",
        g["grain"].get<std::string>(), 1e13 * g["charge"].get<double>(), 1e13 * g["standard_error"].get<double>(),
        1e13 * g["by_table"].get<double>(), 1e13 * g["by_origin"].get<double>(),
        1e13 * g["by_positions"].get<double>());
  text += fmt::format("  They differ by {:.1f} standard errors.\n\n",
                      balance["difference_in_standard_errors"].get<double>());
  text += fmt::format("The motion after it (mass {:.2g} kg assumed; a sphere of it has a drag of {:.2g} kg/s):\n",
                      s["mass_assumed"].get<double>(), s["sphere_drag"].get<double>());
  text += fit_line("electrodes that switch instantaneously, charges fixed", s["sudden"]);
  text += fit_line(with_time_constant("time constant", s["gradual"]), s["gradual"]);
  text += "  time constant [s]: rms [mm]   ";
  for (const json& p : s["gradual"]["profile"])
    text += fmt::format(" {:.1f}: {:.2f}", p["time_constant"].get<double>(), p["rms_mm"].get<double>());
  text += "\n";
  if (s.contains("forecast")) {
    const json& f = s["forecast"]["forecast"];
    text += fit_line("the same, four times the mass", s["gradual_heavy"]);
    text += fit_line(with_time_constant("first three seconds only", s["forecast"]), s["forecast"]);
    text +=
        fmt::format("  forecast of the rest: RMS {:.2f} mm; baselines: static {:.2f} mm, constant velocity {:.2f} mm\n",
                    f["rms_mm"].get<double>(), f["static_mm"].get<double>(), f["constant_velocity_mm"].get<double>());
  }
  return text;
}

}  // namespace pithball::experiments::ion_trap_pair
