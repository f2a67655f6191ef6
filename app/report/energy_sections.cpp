#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>

#include "app/report/sections.hpp"
#include "app/report/thinning.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<sim::EnergyRow>;
using Numbers = std::vector<double>;

constexpr std::size_t most_rows = 2000;

template <class Get>
Numbers column(const Rows& rows, Get get) {
  Numbers values;
  for (const sim::EnergyRow& row : rows) values.push_back(get(row));
  return values;
}

/// Returns "Of 60001 rows 1990 are drawn, …"; empty if all are.
std::string thinning_note(std::size_t all, std::size_t shown) {
  if (shown == all) return "";
  return fmt::format(" {1} of {0} rows of energy.csv are drawn, including all peaks.", all, shown);
}

ordered_json time_axis(const Rows& rows, const std::vector<std::size_t>& shown) {
  return {{"label", "time"},
          {"unit", "s"},
          {"values", at_rows(column(rows, [](const auto& row) { return row.t; }), shown)}};
}

Section energy_by_kind(const Rows& rows, const std::vector<std::size_t>& shown) {
  using Row = sim::EnergyRow;
  std::vector<std::pair<std::string, std::function<double(const Row&)>>> kinds{
      {"elastic", [](const Row& row) { return row.elastic; }},
      {"coulomb", [](const Row& row) { return row.coulomb; }},
      {"interaction", [](const Row& row) { return row.interaction; }},
      {"external", [](const Row& row) { return row.external; }},
      {"kinetic", [](const Row& row) { return row.kinetic; }},
      {"numerical", [](const Row& row) { return row.numerical; }},
      {"total", [](const Row& row) { return row.total(); }}};
  for (std::size_t k = 0; k < sim::loss_names.size(); ++k)
    kinds.insert(kinds.end() - 2, {sim::loss_names[k], [k](const Row& row) { return row.losses[k]; }});
  ordered_json series = ordered_json::array();
  std::string absent;
  for (const auto& [name, get] : kinds) {
    const Numbers values = column(rows, get);
    if (std::all_of(values.begin(), values.end(), [](double value) { return value == 0; })) {
      absent += (absent.empty() ? " Always zero and not drawn: " : ", ") + name;
      continue;
    }
    series.push_back({{"label", name},
                      {"values", at_rows(values, shown)},
                      {"style", name == kinds.back().first ? "dashed" : "line"}});
  }
  return {"plot",
          {{"title", "Energy"},
           {"note",
            "Energy by kind. The total is elastic + coulomb + interaction + external + kinetic; the other curves are "
            "the energies removed since the start, numerical by the integration error." +
                absent + (absent.empty() ? "" : ".") + thinning_note(rows.size(), shown.size())},
           {"time", true},
           {"x", time_axis(rows, shown)},
           {"y", {{"label", "energy"}, {"unit", "J"}}},
           {"series", series}}};
}

/// Plots the energy drift; returns nothing if there is no drift, or no motion to compare it with.
std::optional<Section> energy_drift(const Rows& rows, const std::vector<std::size_t>& shown) {
  Rows finite;
  std::ranges::copy_if(rows, std::back_inserter(finite), [](const auto& row) { return std::isfinite(row.numerical); });
  const sim::EnergyBalance balance = sim::energy_balance(finite);
  if (std::isnan(balance.max)) return {};
  const double scale = balance.scale;
  Numbers drift;
  for (const sim::EnergyRow& row : rows) {
    const double change = std::abs(sim::unaccounted_energy(row, rows.front())) / scale;
    drift.push_back(change > 0 ? change : std::numeric_limits<double>::quiet_NaN());  // a log axis has no zero
  }
  if (std::ranges::none_of(drift, [](double change) { return std::isfinite(change); })) return {};
  const ordered_json series{{"label", "|drift|"}, {"values", at_rows(drift, shown)}, {"style", "line"}};
  return Section{
      "plot",
      {{"title", "Energy drift"},
       {"note",
        fmt::format(
            "Energy removed or added by the integration error (numerical), relative to the exchanged energy of {:.3g} "
            "J, the largest change of any kind. Zero for an exact integrator; times without data are omitted.{}",
            scale, thinning_note(rows.size(), shown.size()))},
       {"time", true},
       {"x", time_axis(rows, shown)},
       {"y", {{"label", "relative drift"}, {"unit", ""}, {"log", true}}},
       {"series", ordered_json::array({series})}}};
}

}  // namespace

Sections energy_sections(const SimulationResults& simulation) {
  const Rows& rows = simulation.energy;
  if (rows.size() < 2) return {};
  const auto shown = thinned_rows({column(rows, [](const auto& row) { return row.kinetic; }),
                                   column(rows, [](const auto& row) { return row.numerical; })},
                                  most_rows);
  Sections sections{energy_by_kind(rows, shown)};
  if (auto drift = energy_drift(rows, shown)) sections.push_back(std::move(*drift));
  return sections;
}

}  // namespace pithball::app
