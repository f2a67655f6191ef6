#include <fmt/format.h>

#include <cmath>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// The parameter of that name in fit.json.
const optim::FittedParameter& fitted_parameter(const FitRecord& fit, const std::string& name) {
  for (const optim::FittedParameter& parameter : fit.estimates.parameters)
    if (parameter.name == name) return parameter;
  throw InvalidArgument(
      {"fit.json", "profile", "must belong to a fitted parameter", ordered_json(name).dump(), "repeat the fit"});
}

Section profile_plot(const FitRecord& fit, const optim::FittedProfile& profile) {
  const optim::FittedParameter& parameter = fitted_parameter(fit, profile.name);
  std::vector<double> parabola;
  for (const double value : profile.values) {
    const double square = std::pow((value - parameter.estimate) / parameter.standard_error, 2);
    // What reaches far beyond would leave no room for the rest.
    parabola.push_back(square <= 3 * profile.threshold ? square : not_known);
  }
  const std::vector<double> level(profile.values.size(), profile.threshold);
  ordered_json marks = ordered_json::array();
  std::string note =
      "Increase of χ² when the parameter is fixed at another value and all others are fitted again. Where the curve "
      "departs from the parabola, the standard error is not reliable.";
  const auto tell_side = [&](const char* side, double end, const std::string& open) {
    if (!std::isnan(end)) marks.push_back({{"at", end}, {"label", fmt::format("{} end", side)}});
    if (!open.empty()) note += fmt::format(" No {} limit: {}.", side, open);
  };
  tell_side("lower", profile.interval_lower, profile.open_below);
  tell_side("upper", profile.interval_upper, profile.open_above);
  return {
      "plot",
      {{"title", "Profile of " + profile.name},
       {"note", note},
       {"time", false},
       {"x", {{"label", profile.name}, {"unit", profile.unit}, {"values", numbers_or_null(profile.values)}}},
       {"y", {{"label", "increase of χ²"}, {"unit", ""}}},
       {"series",
        {{{"label", "profile"}, {"values", numbers_or_null(profile.rises)}, {"style", "line"}},
         {{"label", "from the standard error"}, {"values", numbers_or_null(parabola)}, {"style", "dashed"}},
         {{"label", fmt::format("{:g} %", 100 * fit.estimates.confidence)}, {"values", level}, {"style", "dashed"}}}},
       {"marks", marks}}};
}

void require_each_marker(const optim::MarkerTracks& tracks, const optim::RecordingWhiteness& whiteness) {
  if (whiteness.markers.size() < tracks.markers.size())
    throw InvalidArgument({"fit.json", "whiteness", "must be of each marker of " + tracks.recording,
                           fmt::format("{} of {}", whiteness.markers.size(), tracks.markers.size()), "repeat the fit"});
}

}  // namespace

Sections profile_sections(const FitRecord& fit) {
  Sections sections;
  for (const optim::FittedProfile& profile : fit.estimates.profiles) sections.push_back(profile_plot(fit, profile));
  return sections;
}

Sections whiteness_sections(const FitResults& results) {
  if (results.fit.goodness.whiteness.empty()) return {};
  ordered_json rows = ordered_json::array();
  const auto add = [&](const std::string& recording, const std::string& marker, const optim::Whiteness& w) {
    rows.push_back({recording, marker, w.samples, number_or_null(w.lag_1), number_or_null(w.durbin_watson),
                    w.degrees > 0 ? number_or_null(w.p_value) : ordered_json(nullptr),
                    number_or_null(w.effective_samples)});
  };
  for (const optim::RecordingWhiteness& recording : results.fit.goodness.whiteness) {
    add(recording.recording, "all", recording.all);
    for (const optim::MarkerTracks& own : results.tracks) {
      if (own.recording != recording.recording || own.markers.size() < 2) continue;
      require_each_marker(own, recording);
      for (std::size_t m = 0; m < own.markers.size(); ++m)
        if (recording.markers[m].samples > 0) add(recording.recording, own.markers[m], recording.markers[m]);
    }
  }
  std::string note =
      "Formal standard errors assume residuals that are independent from frame to frame: autocorrelation near 0, "
      "Durbin–Watson statistic near 2, Ljung–Box p not small. Correlation reduces the effective sample size.";
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
