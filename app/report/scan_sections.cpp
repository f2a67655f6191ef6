#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// The method and step shown in one picture.
struct Picture {
  std::string method;
  double time_step;
  std::string title() const { return fmt::format("{} at {:g} s", method, time_step); }
  bool shows(const ScanRow& row) const { return row.run.run.method == method && row.run.run.time_step == time_step; }
};

std::vector<Picture> pictures_of(const std::vector<ScanRow>& rows) {
  std::vector<Picture> pictures;
  for (const ScanRow& row : rows)
    if (std::ranges::none_of(pictures, [&](const Picture& picture) { return picture.shows(row); }))
      pictures.push_back({row.run.run.method, row.run.run.time_step});
  return pictures;
}

/// An error shown on a map; colors show its logarithm, because small and large errors differ by orders of magnitude.
struct ScannedError {
  const char* title;
  double MeasuredRun::*error;
  ordered_json logarithm(const ScanRow& row) const {
    const double value = row.run.*error;
    return value > 0 ? ordered_json(std::log10(value)) : ordered_json(nullptr);
  }
};

/// Returns the value at one point of the grid; null if there is no row for it.
template <class Wanted>
ordered_json value_where(const std::vector<ScanRow>& rows, const ScannedError& quantity, Wanted wanted) {
  const auto found = std::ranges::find_if(rows, wanted);
  return found == rows.end() ? ordered_json(nullptr) : quantity.logarithm(*found);
}

Section heatmap(const std::string& title, const ScanAxis& row_axis, const ScanAxis& column_axis, ordered_json values) {
  return {"heatmap",
          {{"title", title},
           {"note", "log₁₀ of the relative error. Empty cell: the run did not complete."},
           {"rows", {{"label", row_axis.key}, {"names", row_axis.values}}},
           {"columns", {{"label", column_axis.key}, {"names", column_axis.values}}},
           {"values", std::move(values)},
           {"unit", ""}}};
}

/// Draws a scan of two keys: a map for each method and step.
Section map_of(const ScanRecord& scan, const ScannedError& quantity, const Picture& picture) {
  const ScanAxis &rows_axis = scan.over[0], &columns_axis = scan.over[1];
  ordered_json values = ordered_json::array();
  for (const std::string& r : rows_axis.values) {
    ordered_json line = ordered_json::array();
    for (const std::string& c : columns_axis.values)
      line.push_back(value_where(scan.rows, quantity, [&](const ScanRow& row) {
        return picture.shows(row) && row.values[0] == r && row.values[1] == c;
      }));
    values.push_back(std::move(line));
  }
  return heatmap(fmt::format("{}: {}", quantity.title, picture.title()), rows_axis, columns_axis, std::move(values));
}

/// Draws a scan of one key: a single map, with a line for each method and step.
Section map_of(const ScanRecord& scan, const ScannedError& quantity, const std::vector<Picture>& pictures) {
  const ScanAxis& axis = scan.over[0];
  ordered_json values = ordered_json::array();
  ScanAxis methods{"method", {}};
  for (const Picture& picture : pictures) {
    methods.values.push_back(picture.title());
    ordered_json line = ordered_json::array();
    for (const std::string& c : axis.values)
      line.push_back(value_where(scan.rows, quantity,
                                 [&](const ScanRow& row) { return picture.shows(row) && row.values[0] == c; }));
    values.push_back(std::move(line));
  }
  return heatmap(quantity.title, methods, axis, std::move(values));
}

/// Plots the mean energy error, and the mean plus one standard deviation, over the step for each value of one key.
Section error_against_step(const ScanRecord& scan, const std::string& method) {
  const ScanAxis& axis = scan.over[0];
  std::set<double> steps;
  for (const ScanRow& row : scan.rows) steps.insert(row.run.run.time_step);
  ordered_json series = ordered_json::array();
  for (const std::string& value : axis.values) {
    std::vector<double> means, spreads;
    for (const double step : steps) {
      MeasuredRun found;
      for (const ScanRow& row : scan.rows)
        if (Picture{method, step}.shows(row) && row.values[0] == value) found = row.run;
      means.push_back(found.energy_mean);
      spreads.push_back(found.energy_mean + found.energy_standard_deviation);
    }
    series.push_back({{"label", value}, {"values", numbers_or_null(means)}, {"style", "points"}});
    series.push_back(
        {{"label", value + ", mean + std. dev."}, {"values", numbers_or_null(spreads)}, {"style", "dashed"}});
  }
  return {"plot",
          {{"title", "Energy error against time step: " + method},
           {"note", fmt::format("Mean over time at each value of {}, and one standard deviation above it.", axis.key)},
           {"x", {{"label", "time step"}, {"unit", "s"}, {"values", steps}, {"log", true}}},
           {"y", {{"label", "relative energy error"}, {"unit", ""}, {"log", true}}},
           {"series", series}}};
}

Section scan_table(const ScanRecord& scan) {
  ordered_json columns = ordered_json::array(), rows = ordered_json::array();
  for (const ScanAxis& axis : scan.over) columns.push_back({{"label", axis.key}});
  for (const ordered_json& column :
       {ordered_json{{"label", "method"}}, ordered_json{{"label", "step"}, {"unit", "s"}},
        ordered_json{{"label", "energy error, mean"}}, ordered_json{{"label", "std. dev."}},
        ordered_json{{"label", "largest"}}, ordered_json{{"label", "position error"}, {"unit", "m"}},
        ordered_json{{"label", "relative"}}, ordered_json{{"label", "status"}}})
    columns.push_back(column);
  for (const ScanRow& row : scan.rows) {
    ordered_json line = row.values;
    const MeasuredRun& run = row.run;
    line.push_back(run.run.method);
    for (const double number : {run.run.time_step, run.energy_mean, run.energy_standard_deviation, run.energy_max,
                                run.position, run.position_relative})
      line.push_back(number_or_null(number));
    line.push_back(run.run.status);
    rows.push_back(std::move(line));
  }
  return {"table",
          {{"title", "Scan"},
           {"note",
            "Each line is one run against a reference of the same values. Energy errors are those of total + losses, "
            "position errors root mean squares over particles and times; relative: to the largest displacement of the "
            "reference."},
           {"columns", columns},
           {"rows", rows}}};
}

}  // namespace

Sections scan_sections(const ScanRecord& scan) {
  if (scan.rows.empty() || scan.over.empty()) return {};
  const std::vector<Picture> pictures = pictures_of(scan.rows);
  const ScannedError quantities[] = {{"Energy error", &MeasuredRun::energy_mean},
                                     {"Position error", &MeasuredRun::position_relative}};
  Sections sections;
  if (scan.over.size() == 2) {
    for (const ScannedError& quantity : quantities)
      for (const Picture& picture : pictures) sections.push_back(map_of(scan, quantity, picture));
  } else {
    for (const ScannedError& quantity : quantities) sections.push_back(map_of(scan, quantity, pictures));
    std::set<std::string> methods;
    for (const Picture& picture : pictures) methods.insert(picture.method);
    if (pictures.size() > methods.size())  // several steps
      for (const std::string& method : methods) sections.push_back(error_against_step(scan, method));
  }
  sections.push_back(scan_table(scan));
  return sections;
}

}  // namespace pithball::app
