#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// More parameters than this of one value are drawn instead of listed, and their correlations listed instead of drawn.
constexpr std::size_t crowd = 60;
constexpr std::size_t strongest_pairs = 20;

std::map<std::string, std::vector<ordered_json>> by_value(const ordered_json& parameters) {
  std::map<std::string, std::vector<ordered_json>> groups;
  for (const ordered_json& parameter : parameters) groups[parameter.at("value")].push_back(parameter);
  return groups;
}

Section parameter_table(const ordered_json& fit) {
  const auto groups = by_value(fit.at("parameters"));
  ordered_json document{{"title", "Parameters"}}, listed = ordered_json::array();
  std::string note;
  for (const auto& [value, parameters] : groups)
    if (parameters.size() > crowd)
      note += fmt::format("The {} parameters of {} are drawn below instead; fit.json lists them. ", parameters.size(),
                          value);
  if (!note.empty()) document["note"] = note;
  for (const ordered_json& parameter : fit.at("parameters"))
    if (groups.at(parameter.at("value")).size() <= crowd) listed.push_back(parameter);
  document["confidence"] = fit.at("confidence");
  document["parameters"] = listed;
  if (fit.contains("halved_step")) {
    document["halved_step"] = fit.at("halved_step");
    ordered_json& halved = document["halved_step"].at("parameters");
    ordered_json kept = ordered_json::array();
    for (const ordered_json& parameter : listed)
      for (const ordered_json& change : halved)
        if (change.at("name") == parameter.at("name")) kept.push_back(change);
    halved = kept;
  }
  return {"parameters", document};
}

/// Many estimates of one value, in order, with their intervals.
Section crowd_plot(const std::string& value, const std::vector<ordered_json>& parameters, double confidence) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const ordered_json& parameter : parameters)
    for (const char* key : {"initial", "estimate"})
      if (const ordered_json& number = parameter.at(key); !number.is_null()) {
        lowest = std::min(lowest, number.get<double>());
        highest = std::max(highest, number.get<double>());
      }
  const double margin = highest - lowest;
  std::size_t left_out = 0;
  const auto shown = [&](const ordered_json& end) {  // what reaches far beyond would leave no room for the rest
    if (!end.is_null() && std::abs(end.get<double>() - (lowest + highest) / 2) <= 1.5 * margin) return end;
    ++left_out;
    return ordered_json(nullptr);
  };
  ordered_json number = ordered_json::array(), initial = number, estimate = number, lower = number, upper = number;
  for (const ordered_json& parameter : parameters) {
    number.push_back(number.size());
    initial.push_back(parameter.at("initial"));
    estimate.push_back(parameter.at("estimate"));
    lower.push_back(shown(parameter.at("interval").at(0)));
    upper.push_back(shown(parameter.at("interval").at(1)));
  }
  std::string note =
      fmt::format("From {} to {}, in the order of fit.json, which lists them.",
                  parameters.front().at("name").get<std::string>(), parameters.back().at("name").get<std::string>());
  if (left_out > 0)
    note += fmt::format(" {} of {} ends of intervals are unknown or lie far outside and are not drawn.", left_out,
                        2 * parameters.size());
  const std::string interval = fmt::format("of the {:g} % interval", 100 * confidence);
  return {"plot",
          {{"title", "Estimates of " + value},
           {"note", note},
           {"time", false},
           {"x", {{"label", "parameter"}, {"unit", ""}, {"values", number}}},
           {"y", {{"label", value}, {"unit", parameters.front().at("unit")}}},
           {"series",
            {{{"label", "start"}, {"values", initial}, {"style", "dashed"}},
             {{"label", "estimate"}, {"values", estimate}, {"style", "points"}},
             {{"label", "lower end " + interval}, {"values", lower}, {"style", "steps"}},
             {{"label", "upper end " + interval}, {"values", upper}, {"style", "steps"}}}}}};
}

Section correlation_map(const ordered_json& names, const ordered_json& correlation) {
  return {"heatmap",
          {{"title", "Correlation of the estimates"},
           {"note", "Near 1 or −1 the data tell a combination of the two parameters better than either alone."},
           {"rows", {{"label", "parameter"}, {"names", names}}},
           {"columns", {{"label", "parameter"}, {"names", names}}},
           {"values", correlation},
           {"unit", ""},
           {"range", {-1, 1}},
           {"diverging", true}}};
}

Section correlation_table(const ordered_json& names, const ordered_json& correlation) {
  struct Pair {
    std::size_t i, j;
    double correlation;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      if (const ordered_json& entry = correlation.at(i).at(j); !entry.is_null())
        pairs.push_back({i, j, entry.get<double>()});
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), strongest_pairs));
  std::partial_sort(pairs.begin(), end, pairs.end(),
                    [](const Pair& a, const Pair& b) { return std::abs(a.correlation) > std::abs(b.correlation); });
  ordered_json rows = ordered_json::array();
  for (auto pair = pairs.begin(); pair != end; ++pair)
    rows.push_back({names.at(pair->i), names.at(pair->j), pair->correlation});
  return {"table",
          {{"title", "Correlation of the estimates"},
           {"note", fmt::format("The {} strongest of {} pairs; fit.json holds all.", rows.size(), pairs.size())},
           {"columns", {{{"label", "parameter"}}, {{"label", "parameter"}}, {{"label", "correlation"}}}},
           {"rows", rows}}};
}

}  // namespace

Sections parameter_sections(const ordered_json& fit) {
  Sections sections;
  if (Section table = parameter_table(fit); !table.document.at("parameters").empty()) sections.push_back(table);
  for (const auto& [value, parameters] : by_value(fit.at("parameters")))
    if (parameters.size() > crowd) sections.push_back(crowd_plot(value, parameters, fit.at("confidence")));
  return sections;
}

Sections correlation_sections(const ordered_json& fit) {
  Sections sections;
  const ordered_json &correlation = fit.at("correlation"), &weak = fit.at("weak_directions");
  ordered_json names = ordered_json::array();
  for (const ordered_json& parameter : fit.at("parameters")) names.push_back(parameter.at("name"));
  if (correlation.size() > crowd)
    sections.push_back(correlation_table(names, correlation));
  else if (correlation.size() > 1)
    sections.push_back(correlation_map(names, correlation));
  if (weak.empty()) return sections;
  ordered_json rows = ordered_json::array();
  for (const ordered_json& direction : weak)
    rows.push_back({direction.at("name"), direction.at("relative_singular_value")});
  std::string note =
      "Directions along which all parameters can be changed together with hardly any change of the simulated markers. "
      "Estimates that take part in one are one choice of many.";
  shorten(rows, note);
  sections.push_back({"table",
                      {{"title", "What the data do not determine"},
                       {"note", note},
                       {"columns", {{{"label", "direction"}}, {{"label", "singular value, relative to the largest"}}}},
                       {"rows", rows}}});
  return sections;
}

}  // namespace pithball::app
