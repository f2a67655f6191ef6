#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Returns the distinct values of a member of the rows, in order of first appearance.
template <class Value>
std::vector<Value> distinct(const std::vector<MeasuredRun>& rows, Value RunFigures::*member) {
  std::vector<Value> values;
  for (const MeasuredRun& row : rows)
    if (std::ranges::find(values, row.run.*member) == values.end()) values.push_back(row.run.*member);
  return values;
}

std::string ending(const RunFigures& run) {
  if (run.ok()) return run.capped_substeps > 0 ? fmt::format("ok, {} substeps capped", run.capped_substeps) : "ok";
  return fmt::format("{} at step {}",
                     optim::find_run_status(run.status) == optim::RunStatus::Diverged ? run.status : "not converged",
                     run.steps);
}

/// Describes the other programs: their versions and compilation times.
std::string told_backends(const CompareRecord& compare) {
  std::string note;
  for (const auto& [name, version] : compare.backends) {
    note += fmt::format(" {} is {}", name, version);
    double compiling = 0;
    for (const MeasuredRun& row : compare.rows)
      if (row.run.method == name && std::isfinite(row.run.compile_seconds)) compiling += row.run.compile_seconds;
    note += compiling > 0 ? fmt::format(", plus {:.2g} s of compilation in total.", compiling) : ".";
  }
  return note;
}

/// Describes the definition of the errors and the accuracy of the reference.
std::string measures(const CompareRecord& compare) {
  const ReferenceRun& reference = compare.reference;
  const auto of = [](double value) {
    return std::isnan(value) ? std::string("unknown") : fmt::format("{:.2g}", value);
  };
  const std::string note = fmt::format(
      "Against {} at {:g} s, every {:g} s. Energy errors are those of total + losses, relative to {}, {} J. Position "
      "errors are root mean squares over particles and "
      "times; relative: to the largest displacement of the reference, {:.3g} m. Seconds are integration times. Coulomb "
      "evaluations include products with the Jacobian in implicit steps.",
      reference.run.method, reference.run.time_step, compare.spacing,
      compare.energy_scale == "total" ? "the largest total energy of the reference"
                                      : "the energy that the reference exchanges between its kinds of energy",
      of(compare.scale_energy), compare.largest_displacement);
  const MeasuredRun check = reference.check.value_or(MeasuredRun());
  return note + told_backends(compare) +
         fmt::format(" Halving the reference's step changes energies by {} (mean) and positions by {} m.{}",
                     of(check.energy_mean), of(check.position),
                     reference.fine_enough.value_or(false)
                         ? ""
                         : " That is more than a tenth of the smallest error here: the reference is not fine "
                           "enough.");
}

Section compare_table(const CompareRecord& compare) {
  ordered_json rows = ordered_json::array();
  for (const MeasuredRun& row : compare.rows)
    rows.push_back({row.run.method, row.run.time_step, number_or_null(row.energy_mean),
                    number_or_null(row.energy_standard_deviation), number_or_null(row.energy_max),
                    number_or_null(row.position), number_or_null(row.position_relative),
                    number_or_null(row.run.seconds), row.run.force_evaluations, row.run.coulomb_evaluations,
                    row.run.linear_solves, ending(row.run)});
  return {"table",
          {{"title", "Comparison"},
           {"note", measures(compare)},
           {"columns",
            {{{"label", "method"}},
             {{"label", "step"}, {"unit", "s"}},
             {{"label", "energy error, mean"}},
             {{"label", "std. dev."}},
             {{"label", "largest"}},
             {{"label", "position error"}, {"unit", "m"}},
             {{"label", "relative"}},
             {{"label", "time"}, {"unit", "s"}},
             {{"label", "force evaluations"}},
             {{"label", "Coulomb evaluations"}},
             {{"label", "linear solves"}},
             {{"label", "status"}}}},
           {"rows", rows}}};
}

/// Plots the energy errors of all methods at one step size; those of a failed run end where it failed.
Section energy_over_time(const CompareRecord& compare, double step) {
  std::vector<double> times;
  for (const MeasuredRun& row : compare.rows)
    if (row.run.time_step == step && row.over_time && row.over_time->time.size() > times.size())
      times = row.over_time->time;
  ordered_json series = ordered_json::array();
  for (const MeasuredRun& row : compare.rows) {
    if (row.run.time_step != step) continue;
    std::vector<double> errors = row.over_time ? row.over_time->energy_error : std::vector<double>();
    errors.resize(std::max(errors.size(), times.size()), not_known);
    series.push_back({{"label", row.run.method}, {"values", numbers_or_null(errors)}, {"style", "line"}});
  }
  return {"plot",
          {{"title", fmt::format("Energy error at {:g} s", step)},
           {"note", "Relative energy error over time; the curve of a failed run ends at its last step."},
           {"time", true},
           {"x", {{"label", "time"}, {"unit", "s"}, {"values", times}}},
           {"y", {{"label", "relative energy error"}, {"unit", ""}, {"log", true}}},
           {"series", series}}};
}

/// A quantity on an axis: a number for each row, NaN if the row has none.
struct Axis {
  const char* label;
  const char* unit;
  double (*of)(const MeasuredRun& row);
  bool shows_order = false;  ///< whether errors plotted over it have the slope of the integrator's order
};

/// Adds lines y ∝ xᵖ for the orders p of the integrators, through the largest error at the largest x.
void add_slopes(const std::map<std::string, std::map<double, double>>& reached, const std::set<double>& at,
                ordered_json& series) {
  if (at.size() < 2) return;
  double top = 0;
  std::set<int> orders;
  for (const auto& [method, points] : reached) {
    if (const auto last = points.find(*at.rbegin()); last != points.end()) top = std::max(top, last->second);
    const std::string name = method.substr(0, method.find_first_of(" ,("));  // the method without its settings
    for (const sim::IntegratorInfo& info : sim::integrators())
      if (info.name == name && info.position_order > 0) orders.insert(info.position_order);
  }
  for (const int order : orders) {
    if (!(top > 0)) continue;
    ordered_json values = ordered_json::array();
    for (const double each : at) values.push_back(top * std::pow(each / *at.rbegin(), order));
    series.push_back({{"label", fmt::format("slope {}", order)}, {"values", values}, {"style", "dashed"}});
  }
}

/// Plots one quantity of the completed runs over another on logarithmic axes, with a series for each method.
Section against(const CompareRecord& compare, const char* title, const char* note, const Axis& x, const Axis& y) {
  std::set<double> at;  // plots need each x once, in ascending order
  std::map<std::string, std::map<double, double>> reached;
  for (const MeasuredRun& row : compare.rows) {
    if (!row.run.ok() || std::isnan(y.of(row)) || std::isnan(x.of(row))) continue;
    at.insert(x.of(row));
    reached[row.run.method][x.of(row)] = y.of(row);
  }
  ordered_json series = ordered_json::array();
  for (const std::string& method : distinct(compare.rows, &RunFigures::method)) {
    const auto& points = reached[method];
    ordered_json values = ordered_json::array();
    for (const double each : at)
      values.push_back(points.count(each) > 0 ? ordered_json(points.at(each)) : ordered_json(nullptr));
    series.push_back({{"label", method}, {"values", values}, {"style", "joined"}});
  }
  if (x.shows_order) add_slopes(reached, at, series);
  return {"plot",
          {{"title", title},
           {"note", note},
           {"x", {{"label", x.label}, {"unit", x.unit}, {"values", at}, {"log", true}}},
           {"y", {{"label", y.label}, {"unit", y.unit}, {"log", true}}},
           {"series", series}}};
}

}  // namespace

Sections compare_sections(const CompareRecord& compare) {
  if (compare.rows.empty()) return {};
  const Axis step{"time step", "s", [](const MeasuredRun&row) { return row.run.time_step; }, true},
      sums{"force evaluations", "",
           [](const MeasuredRun&row) { return static_cast<double>(row.run.force_evaluations); }},
      coulomb{"Coulomb evaluations", "",
              [](const MeasuredRun&row) { return static_cast<double>(row.run.coulomb_evaluations); }},
      seconds{"time", "s", [](const MeasuredRun&row) { return row.run.seconds; }},
      energy{"mean relative energy error", "", [](const MeasuredRun&row) { return row.energy_mean; }},
      position{"position error", "m", [](const MeasuredRun&row) { return row.position; }};
  Sections sections{compare_table(compare)};
  for (const double each : distinct(compare.rows, &RunFigures::time_step))
    sections.push_back(energy_over_time(compare, each));
  const char* slope =
      "Both axes are logarithmic: the error of an integrator of order p decreases with slope p, as the dashed lines.";
  const char* cheap = "Error against cost: the lower left is best. Each point is one time step.";
  sections.push_back(against(compare, "Energy error against time step", slope, step, energy));
  sections.push_back(against(compare, "Position error against time step", slope, step, position));
  const auto has_charges = [](const MeasuredRun& row) { return row.run.coulomb_evaluations > 0; };
  if (std::ranges::all_of(compare.rows, has_charges)) {
    sections.push_back(against(compare, "Energy error against Coulomb evaluations", cheap, coulomb, energy));
    sections.push_back(against(compare, "Position error against Coulomb evaluations", cheap, coulomb, position));
  } else {
    sections.push_back(against(compare, "Position error against force evaluations", cheap, sums, position));
  }
  sections.push_back(against(compare, "Position error against run time", cheap, seconds, position));
  return sections;
}

}  // namespace pithball::app
