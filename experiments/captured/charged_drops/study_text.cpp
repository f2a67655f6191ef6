#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/captured/charged_drops/study.hpp"

namespace pithball::experiments::charged_drops {
namespace {

using nlohmann::json;

std::string number(const json& value, int digits, double unit = 1) {
  return value.is_number() && std::isfinite(value.get<double>())
             ? fmt::format("{:.{}f}", unit * value.get<double>(), digits)
             : "-";
}

/// One line of the table: the columns that a quick study has, then those of the whole one.
std::string line(const std::vector<std::string>& cells, const std::string& last) {
  std::string text = fmt::format("{:<6}", cells[0]);
  for (std::size_t k = 1; k < cells.size(); ++k) text += fmt::format(" {:>9}", cells[k]);
  return text + "  " + last + "\n";
}

}  // namespace

std::string to_text(const json& study) {
  constexpr double pico = 1e12, milligram = 1e6;
  const bool whole = study.contains("half_step_in_standard_errors");
  std::vector<std::string> names{"drop",  "frames", "charge", "± s.e.",  "widened", "no drag", "published",
                                 "ratio", "drag",   "± s.e.", "/sphere", "rms x",   "rms y"};
  std::vector<std::string> units{"", "", "pC", "pC", "pC", "pC", "pC", "", "mg/s", "mg/s", "", "mm", "mm"};
  if (whole) {
    names.insert(names.end(), {"quadratic", "ΔBIC"});
    units.insert(units.end(), {"pC", ""});
  }
  std::string text = line(names, "why it differs") + line(units, "");
  for (const json& d : study["drops"]) {
    std::vector<std::string> cells{d["drop"].get<std::string>(),
                                   std::to_string(d["frames"].get<int>()),
                                   number(d["charge"], 2, pico),
                                   number(d["standard_error"], 2, pico),
                                   number(d["widened_error"], 2, pico),
                                   number(d["charge_without_drag"], 2, pico),
                                   number(d["published"], 2, pico),
                                   number(d["over_published"], 2),
                                   number(d["linear_drag"], 2, milligram),
                                   number(d["linear_drag_standard_error"], 2, milligram),
                                   number(d["drag_over_sphere"], 1),
                                   number(d["rms_mm"][0], 3),
                                   number(d["rms_mm"][1], 3)};
    if (whole) {
      cells.push_back(number(d["charge_with_quadratic_drag"], 2, pico));
      cells.push_back(number(d["bic_for_quadratic_drag"], 1));
    }
    text += line(cells, d["reason"]);
  }
  text +=
      "\ncharge: linear drag, start free; no drag: the same without; published: as the authors' notebook prints it.\n"
      "Why they differ: the authors put the coefficient of t² of a parabola where the acceleration belongs, half of "
      "it,\n"
      "so that the equation of motion gives twice their charge; and they leave out the drag, which bends the track "
      "too.\n"
      "s.e.: formal, residuals taken as independent; widened: times √((1+ρ)/(1−ρ)), ρ the lag-one correlation of the\n"
      "residuals across the plates. /sphere: drag over that of a rigid sphere of this volume in air at this speed.\n";
  if (whole)
    text += fmt::format(
        "Half the step moves no estimate by more than {:.1g} standard errors. ΔBIC > 0 speaks for quadratic drag.\n",
        study["half_step_in_standard_errors"].get<double>());
  return text;
}

}  // namespace pithball::experiments::charged_drops
