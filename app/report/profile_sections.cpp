#include <fmt/format.h>

#include <cmath>

#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// The parameter of that name in fit.json.
const ordered_json& fitted_parameter(const ordered_json& fit, const ordered_json& name) {
  for (const ordered_json& parameter : fit.at("parameters"))
    if (parameter.at("name") == name) return parameter;
  throw InvalidArgument({"fit.json", "profile", "must be of a fitted parameter", name.dump(), "repeat the fit"});
}

Section profile_plot(const ordered_json& fit, const ordered_json& profile) {
  const ordered_json& parameter = fitted_parameter(fit, profile.at("name"));
  const ordered_json &estimate = parameter.at("estimate"), &error = parameter.at("standard_error");
  const double threshold = profile.at("threshold");
  ordered_json values = ordered_json::array(), rises = values, parabola = values, level = values, marks = values;
  for (const ordered_json& point : profile.at("points")) {
    values.push_back(point.at(0));
    rises.push_back(point.at(1));
    level.push_back(threshold);
    parabola.push_back(nullptr);
    if (point.at(0).is_null() || error.is_null()) continue;
    const double square = std::pow((point.at(0).get<double>() - estimate.get<double>()) / error.get<double>(), 2);
    if (square <= 3 * threshold) parabola.back() = square;  // what reaches far beyond would leave no room for the rest
  }
  std::string note =
      "How much χ² rises when the parameter is held beside its estimate and all others are fitted again. Where the "
      "curve leaves the parabola, the standard error is no good measure.";
  const char* const sides[] = {"lower", "upper"};
  for (std::size_t side = 0; side < 2; ++side) {
    const ordered_json &end = profile.at("interval").at(side), &open = profile.at("open").at(side);
    if (!end.is_null()) marks.push_back({{"at", end}, {"label", fmt::format("{} end", sides[side])}});
    if (!open.is_null()) note += fmt::format(" No {} limit: {}.", sides[side], open.get<std::string>());
  }
  const std::string name = profile.at("name");
  return {"plot",
          {{"title", "Profile of " + name},
           {"note", note},
           {"time", false},
           {"x", {{"label", name}, {"unit", profile.at("unit")}, {"values", values}}},
           {"y", {{"label", "rise of χ²"}, {"unit", ""}}},
           {"series",
            {{{"label", "profile"}, {"values", rises}, {"style", "line"}},
             {{"label", "by the standard error"}, {"values", parabola}, {"style", "dashed"}},
             {{"label", fmt::format("{:g} %", 100 * fit.at("confidence").get<double>())},
              {"values", level},
              {"style", "dashed"}}}},
           {"marks", marks}}};
}

}  // namespace

Sections profile_sections(const ordered_json& fit) {
  Sections sections;
  if (fit.contains("profile"))
    for (const ordered_json& profile : fit.at("profile")) sections.push_back(profile_plot(fit, profile));
  return sections;
}

Sections whiteness_sections(const ordered_json& fit, const std::vector<optim::MarkerTracks>& tracks) {
  if (!fit.contains("whiteness") || fit.at("whiteness").empty()) return {};
  ordered_json rows = ordered_json::array();
  const auto add = [&](const ordered_json& recording, const std::string& marker, const ordered_json& w) {
    rows.push_back({recording, marker, w.at("samples"), w.at("lag_1"), w.at("durbin_watson"), w.at("p_value"),
                    w.at("effective_samples")});
  };
  for (const ordered_json& recording : fit.at("whiteness")) {
    add(recording.at("recording"), "all", recording.at("all"));
    for (const optim::MarkerTracks& own : tracks) {
      if (own.recording != recording.at("recording").get<std::string>() || own.markers.size() < 2) continue;
      for (std::size_t m = 0; m < own.markers.size(); ++m)
        if (const ordered_json& marker = recording.at("markers").at(m); marker.at("samples") > 0)
          add(recording.at("recording"), own.markers[m], marker);
    }
  }
  std::string note =
      "Standard errors suppose that residuals are independent from frame to frame: an autocorrelation near 0, a "
      "Durbin–Watson statistic near 2, a Ljung–Box p that is not small. Correlated residuals are worth fewer.";
  shorten(rows, note);
  return {Section{"table",
                  {{"title", "Independence of the residuals"},
                   {"note", note},
                   {"columns",
                    {{{"label", "recording"}},
                     {{"label", "marker"}},
                     {{"label", "residuals"}},
                     {{"label", "lag-1 autocorrelation"}},
                     {{"label", "Durbin–Watson"}},
                     {{"label", "Ljung–Box p"}},
                     {{"label", "worth"}}}},
                   {"rows", rows}}}};
}

}  // namespace pithball::app
