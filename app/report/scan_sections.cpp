#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/report/sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A method at a step: what one picture is of.
struct Picture {
  ordered_json method, time_step;
  std::string title() const { return fmt::format("{} at {:g} s", method.get<std::string>(), time_step.get<double>()); }
  bool shows(const ordered_json& row) const { return row.at("method") == method && row.at("time_step") == time_step; }
};

std::vector<Picture> pictures_of(const ordered_json& rows) {
  std::vector<Picture> pictures;
  for (const ordered_json& row : rows)
    if (std::ranges::none_of(pictures, [&](const Picture& picture) { return picture.shows(row); }))
      pictures.push_back({row.at("method"), row.at("time_step")});
  return pictures;
}

/// An error that is mapped: small and large ones are far apart, so its logarithm is what colours tell.
struct Quantity {
  const char* title;
  ordered_json::json_pointer where;
  ordered_json logarithm(const ordered_json& row) const {
    const ordered_json& value = row.at(where);
    return value.is_number() && value.get<double>() > 0 ? ordered_json(std::log10(value.get<double>()))
                                                        : ordered_json(nullptr);
  }
};

/// The value at one point of the grid; null if there is no such row.
template <class Wanted>
ordered_json value_where(const ordered_json& rows, const Quantity& quantity, Wanted wanted) {
  const auto found = std::find_if(rows.begin(), rows.end(), wanted);
  return found == rows.end() ? ordered_json(nullptr) : quantity.logarithm(*found);
}

Section heatmap(const std::string& title, const ordered_json& row_axis, const ordered_json& column_axis,
                ordered_json values) {
  return {"heatmap",
          {{"title", title},
           {"note", "Decimal logarithm: −2 is an error of 1 %. An empty cell is a run that did not come to its end."},
           {"rows", {{"label", row_axis.at("key")}, {"names", row_axis.at("values")}}},
           {"columns", {{"label", column_axis.at("key")}, {"names", column_axis.at("values")}}},
           {"values", std::move(values)},
           {"unit", ""}}};
}

/// Over two keys: a map for each method and step.
Section map_of(const ordered_json& scan, const Quantity& quantity, const Picture& picture) {
  const ordered_json &rows_axis = scan.at("over").at(0), &columns_axis = scan.at("over").at(1);
  ordered_json values = ordered_json::array();
  for (const ordered_json& r : rows_axis.at("values")) {
    ordered_json line = ordered_json::array();
    for (const ordered_json& c : columns_axis.at("values"))
      line.push_back(value_where(scan.at("rows"), quantity, [&](const ordered_json& row) {
        return picture.shows(row) && row.at(rows_axis.at("key").get<std::string>()) == r &&
               row.at(columns_axis.at("key").get<std::string>()) == c;
      }));
    values.push_back(std::move(line));
  }
  return heatmap(fmt::format("{}: {}", quantity.title, picture.title()), rows_axis, columns_axis, std::move(values));
}

/// Over one key: one map, with a line for each method and step.
Section map_of(const ordered_json& scan, const Quantity& quantity, const std::vector<Picture>& pictures) {
  const ordered_json& axis = scan.at("over").at(0);
  ordered_json values = ordered_json::array(), names = ordered_json::array();
  for (const Picture& picture : pictures) {
    names.push_back(picture.title());
    ordered_json line = ordered_json::array();
    for (const ordered_json& c : axis.at("values"))
      line.push_back(value_where(scan.at("rows"), quantity, [&](const ordered_json& row) {
        return picture.shows(row) && row.at(axis.at("key").get<std::string>()) == c;
      }));
    values.push_back(std::move(line));
  }
  return heatmap(quantity.title, {{"key", "method"}, {"values", names}}, axis, std::move(values));
}

/// The mean energy error over the step at each value of one key, and one standard deviation above it.
Section error_against_step(const ordered_json& scan, const ordered_json& method) {
  const ordered_json& axis = scan.at("over").at(0);
  std::set<double> steps;
  for (const ordered_json& row : scan.at("rows")) steps.insert(row.at("time_step").get<double>());
  ordered_json series = ordered_json::array();
  for (const ordered_json& value : axis.at("values")) {
    ordered_json means = ordered_json::array(), spreads = ordered_json::array();
    for (const double step : steps) {
      ordered_json mean, spread;
      for (const ordered_json& row : scan.at("rows"))
        if (row.at("method") == method && row.at("time_step") == step &&
            row.at(axis.at("key").get<std::string>()) == value) {
          mean = row.at("energy_error").at("mean");
          if (mean.is_number())
            spread = mean.get<double>() + row.at("energy_error").at("standard_deviation").get<double>();
        }
      means.push_back(mean);
      spreads.push_back(spread);
    }
    const std::string name = value;
    series.push_back({{"label", name}, {"values", means}, {"style", "points"}});
    series.push_back({{"label", name + ", mean + std. dev."}, {"values", spreads}, {"style", "dashed"}});
  }
  return {"plot",
          {{"title", "Energy error against step: " + method.get<std::string>()},
           {"note", fmt::format("Mean over time at each value of {}, and one standard deviation above it.",
                                axis.at("key").get<std::string>())},
           {"x", {{"label", "time step"}, {"unit", "s"}, {"values", steps}, {"log", true}}},
           {"y", {{"label", "relative energy error"}, {"unit", ""}, {"log", true}}},
           {"series", series}}};
}

Section scan_table(const ordered_json& scan) {
  ordered_json columns = ordered_json::array(), rows = ordered_json::array();
  for (const ordered_json& axis : scan.at("over")) columns.push_back({{"label", axis.at("key")}});
  for (const ordered_json& column :
       {ordered_json{{"label", "method"}}, ordered_json{{"label", "step"}, {"unit", "s"}},
        ordered_json{{"label", "energy error, mean"}}, ordered_json{{"label", "std. dev."}},
        ordered_json{{"label", "largest"}}, ordered_json{{"label", "position error"}, {"unit", "m"}},
        ordered_json{{"label", "relative"}}, ordered_json{{"label", "status"}}})
    columns.push_back(column);
  for (const ordered_json& row : scan.at("rows")) {
    ordered_json line = ordered_json::array();
    for (const ordered_json& axis : scan.at("over")) line.push_back(row.at(axis.at("key").get<std::string>()));
    const ordered_json &energy = row.at("energy_error"), &position = row.at("position_error");
    for (const ordered_json& cell :
         {row.at("method"), row.at("time_step"), energy.at("mean"), energy.at("standard_deviation"), energy.at("max"),
          position.at("rms"), position.at("relative"), row.at("status")})
      line.push_back(cell);
    rows.push_back(std::move(line));
  }
  return {
      "table",
      {{"title", "Scan"},
       {"note",
        "Each line is one run against a reference of the same values. Energy errors are those of total + losses, "
        "position errors root mean squares over particles and instants; relative: to the largest displacement of the "
        "reference."},
       {"columns", columns},
       {"rows", rows}}};
}

}  // namespace

Sections scan_sections(const Run& run) {
  if (!run.scan || run.scan->at("rows").empty()) return {};
  const ordered_json& scan = *run.scan;
  const std::vector<Picture> pictures = pictures_of(scan.at("rows"));
  using Pointer = ordered_json::json_pointer;
  const Quantity quantities[] = {{"Energy error", Pointer("/energy_error/mean")},
                                 {"Position error", Pointer("/position_error/relative")}};
  Sections sections;
  if (scan.at("over").size() == 2) {
    for (const Quantity& quantity : quantities)
      for (const Picture& picture : pictures) sections.push_back(map_of(scan, quantity, picture));
  } else {
    for (const Quantity& quantity : quantities) sections.push_back(map_of(scan, quantity, pictures));
    std::set<std::string> methods;
    for (const Picture& picture : pictures) methods.insert(picture.method.get<std::string>());
    if (pictures.size() > methods.size())  // several steps
      for (const std::string& method : methods) sections.push_back(error_against_step(scan, method));
  }
  sections.push_back(scan_table(scan));
  return sections;
}

}  // namespace pithball::app
