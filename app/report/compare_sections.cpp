#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/report/sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Distinct values of a key of the rows, in their order.
ordered_json distinct(const ordered_json& rows, const char* key) {
  ordered_json values = ordered_json::array();
  for (const ordered_json& row : rows)
    if (std::find(values.begin(), values.end(), row.at(key)) == values.end()) values.push_back(row.at(key));
  return values;
}

std::string ending(const ordered_json& row) {
  const std::string status = row.at("status");
  const auto capped = row.value("capped_substeps", 0L);  // unknown to older runs
  if (status == "ok") return capped > 0 ? fmt::format("ok, {} substeps capped", capped) : status;
  return fmt::format("{} at step {}", status == "diverged" ? status : "not converged",
                     row.at("failed_step").get<Index>());
}

/// Evaluations of Coulomb sums; unknown to runs that were made before they were counted.
ordered_json coulomb_evaluations(const ordered_json& row) {
  return row.value("coulomb_evaluations", ordered_json(nullptr));
}

/// What errors are, and what the reference is worth.
std::string measures(const ordered_json& compare) {
  const ordered_json& reference = compare.at("reference");
  std::string note = fmt::format(
      "Against {} at {:g} s, every {:g} s. Energy errors are those of total + losses, relative to {}. Position "
      "errors "
      "are root mean squares over particles and instants; relative: to the largest displacement of the reference, "
      "{:.3g} "
      "m. Seconds are those of the steps alone. Coulomb evaluations count sums over pairs and, in implicit "
      "steps, products with their linearisation.",
      reference.at("method").get<std::string>(), reference.at("time_step").get<double>(),
      compare.at("instants").at("spacing").get<double>(),
      compare.at("energy_scale").at("by") == "instant" ? "the reference's at each instant"
                                                       : "the reference's largest, as it changes sign",
      compare.at("largest_displacement").get<double>());
  const ordered_json backends = compare.value("backends", ordered_json::object());
  for (const auto& [name, version] : backends.items()) {
    note += fmt::format(" {} is {}", name, version.get<std::string>());
    double compiling = 0;
    for (const ordered_json& row : compare.at("rows"))
      if (row.at("method") == name && row.at("compile_seconds").is_number())
        compiling += row.at("compile_seconds").get<double>();
    note += compiling > 0 ? fmt::format("; compiling its steps took another {:.2g} s in all.", compiling) : ".";
  }
  const ordered_json& check = reference.at("check");
  const auto of = [](const ordered_json& value) {
    return value.is_null() ? std::string("unknown") : fmt::format("{:.2g}", value.get<double>());
  };
  return note + fmt::format(" Halving the reference's step changes energies by {} (mean) and positions by {} m.{}",
                            of(check.at("energy_error").at("mean")), of(check.at("position_error").at("rms")),
                            reference.at("fine_enough") == true
                                ? ""
                                : " That is more than a tenth of the smallest error here: the reference is not fine "
                                  "enough.");
}

Section compare_table(const ordered_json& compare) {
  ordered_json rows = ordered_json::array();
  for (const ordered_json& row : compare.at("rows")) {
    const ordered_json &energy = row.at("energy_error"), &position = row.at("position_error");
    rows.push_back({row.at("method"), row.at("time_step"), energy.at("mean"), energy.at("standard_deviation"),
                    energy.at("max"), position.at("rms"), position.at("relative"), row.at("seconds"),
                    row.at("force_evaluations"), coulomb_evaluations(row), row.at("linear_solves"), ending(row)});
  }
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
             {{"label", "force sums"}},
             {{"label", "Coulomb evaluations"}},
             {{"label", "linear solves"}},
             {{"label", "status"}}}},
           {"rows", rows}}};
}

/// The energy errors of all methods at one step; those of a run that failed end there.
Section energy_over_time(const ordered_json& compare, const ordered_json& step) {
  ordered_json times = ordered_json::array(), series = ordered_json::array();
  for (const ordered_json& row : compare.at("rows")) {
    if (row.at("time_step") != step) continue;
    const ordered_json& over_time = row.at("over_time");
    if (over_time.at("time").size() > times.size()) times = over_time.at("time");
    series.push_back({{"label", row.at("method")}, {"values", over_time.at("energy_error")}, {"style", "line"}});
  }
  for (ordered_json& curve : series)
    while (curve.at("values").size() < times.size()) curve.at("values").push_back(nullptr);
  return {"plot",
          {{"title", fmt::format("Energy error at {:g} s", step.get<double>())},
           {"note", "Relative, over time; the curve of a run that failed ends there."},
           {"time", true},
           {"x", {{"label", "time"}, {"unit", "s"}, {"values", times}}},
           {"y", {{"label", "relative energy error"}, {"unit", ""}, {"log", true}}},
           {"series", series}}};
}

/// What stands on an axis: a number of a row.
struct Axis {
  const char* label;
  const char* unit;
  ordered_json::json_pointer where;
  ordered_json of(const ordered_json& row) const { return row.at(where); }
};

/// One number of the rows that came to their end against another, a series for each method, both axes logarithmic.
Section against(const ordered_json& compare, const char* title, const char* note, const Axis& x, const Axis& y,
                const char* style) {
  std::set<double> at;  // a plot wants each x once, in ascending order
  std::map<std::string, std::map<double, double>> reached;
  for (const ordered_json& row : compare.at("rows")) {
    if (row.at("status") != "ok" || !y.of(row).is_number()) continue;
    const double place = x.of(row).get<double>();
    at.insert(place);
    reached[row.at("method").get<std::string>()][place] = y.of(row).get<double>();
  }
  ordered_json series = ordered_json::array();
  for (const ordered_json& method : distinct(compare.at("rows"), "method")) {
    const auto& points = reached[method.get<std::string>()];
    ordered_json values = ordered_json::array();
    for (const double each : at)
      values.push_back(points.count(each) > 0 ? ordered_json(points.at(each)) : ordered_json(nullptr));
    series.push_back({{"label", method}, {"values", values}, {"style", style}});
  }
  return {"plot",
          {{"title", title},
           {"note", note},
           {"x", {{"label", x.label}, {"unit", x.unit}, {"values", at}, {"log", true}}},
           {"y", {{"label", y.label}, {"unit", y.unit}, {"log", true}}},
           {"series", series}}};
}

}  // namespace

Sections compare_sections(const Run& run) {
  if (!run.compare || run.compare->at("rows").empty()) return {};
  using Pointer = ordered_json::json_pointer;
  const ordered_json& compare = *run.compare;
  const Axis step{"time step", "s", Pointer("/time_step")}, sums{"force sums", "", Pointer("/force_evaluations")},
      coulomb{"Coulomb evaluations", "", Pointer("/coulomb_evaluations")}, seconds{"time", "s", Pointer("/seconds")},
      energy{"mean relative energy error", "", Pointer("/energy_error/mean")},
      position{"position error", "m", Pointer("/position_error/rms")};
  Sections sections{compare_table(compare)};
  for (const ordered_json& each : distinct(compare.at("rows"), "time_step"))
    sections.push_back(energy_over_time(compare, each));
  const char* slope = "Both axes are logarithmic: a method of order p falls with slope p.";
  const char* cheap = "What an error costs: the lower left is best. A point is a step.";
  sections.push_back(against(compare, "Energy error against step", slope, step, energy, "points"));
  sections.push_back(against(compare, "Position error against step", slope, step, position, "points"));
  const auto has_charges = [](const ordered_json& row) {
    return coulomb_evaluations(row).is_number() && coulomb_evaluations(row) > 0;
  };
  if (std::ranges::all_of(compare.at("rows"), has_charges)) {
    sections.push_back(against(compare, "Energy error against Coulomb evaluations", cheap, coulomb, energy, "points"));
    sections.push_back(
        against(compare, "Position error against Coulomb evaluations", cheap, coulomb, position, "points"));
  } else {
    sections.push_back(against(compare, "Position error against force sums", cheap, sums, position, "points"));
  }
  sections.push_back(against(compare, "Position error against time", cheap, seconds, position, "points"));
  return sections;
}

}  // namespace pithball::app
