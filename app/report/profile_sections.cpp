#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Returns the parameter of that name in fit.json.
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
    // Points far above the threshold would compress the rest.
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

namespace {

/// Smaller increases of χ² are meaningless; the logarithmic axis starts here.
constexpr double floor_of_rise = 1e-3;
/// At most this many minima get a color of their own.
constexpr std::size_t most_groups = 6;

/// Whether two searches ended at the same minimum: no parameter differs by more than 3 standard errors. If standard
/// errors or values are unknown, the costs must agree to within 0.1 %.
bool is_same(const FitRecord& fit, const optim::FitMinimum& a, const optim::FitMinimum& b) {
  bool is_compared = false;
  if (a.parameters.size() == b.parameters.size() && a.parameters.size() == fit.estimates.parameters.size())
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      const double error = fit.estimates.parameters[k].standard_error;
      if (!(std::isfinite(error) && error > 0)) continue;
      is_compared = true;
      if (std::abs(a.parameters[k].second - b.parameters[k].second) > 3 * error) return false;
    }
  return is_compared || std::abs(a.cost - b.cost) <= 1e-3 * std::abs(a.cost);
}

/// Searches that ended at one minimum.
struct MinimumGroup {
  std::vector<std::size_t> searches;
  Index place = -1;  ///< as in optim::FitMinimum
};

/// Groups the searches by the minimum that the fit assigned to them, otherwise by their parameter values; the best
/// group comes first.
std::vector<MinimumGroup> groups_of(const FitRecord& fit, const std::vector<optim::FitMinimum>& minima) {
  std::vector<MinimumGroup> groups;
  for (std::size_t k = 0; k < minima.size(); ++k) {
    const optim::FitMinimum& mine = minima[k];
    const auto own = std::ranges::find_if(groups, [&](const MinimumGroup& group) {
      return group.place == mine.place && (mine.place >= 0 || is_same(fit, minima[group.searches.front()], mine));
    });
    if (own == groups.end())
      groups.push_back({{k}, mine.place});
    else
      own->searches.push_back(k);
  }
  std::ranges::stable_sort(groups, {}, [](const MinimumGroup& group) {
    return group.place >= 0 ? group.place : std::numeric_limits<Index>::max();
  });
  return groups;
}

/// Returns the label of group g. A fit without standard errors assigns no minima.
std::string name_of(const std::vector<MinimumGroup>& groups, std::size_t g) {
  const bool is_placed = groups.front().place >= 0;
  if (groups[g].place == 0) return "at the estimate";
  if (groups[g].place > 0) return fmt::format("at alternative {}, as good", groups[g].place);
  if (g == 0) return "best minimum";
  return fmt::format("{}minimum {}", is_placed ? "elsewhere: " : "", g + 1);
}

}  // namespace

Sections start_sections(const FitRecord& fit) {
  if (fit.search.stages.empty() || fit.search.stages.back().minima.size() < 2) return {};
  std::vector<optim::FitMinimum> minima = fit.search.stages.back().minima;
  const std::size_t all = minima.size();
  std::erase_if(minima, [](const optim::FitMinimum& minimum) { return !std::isfinite(minimum.cost); });
  if (minima.size() < 2) return {};
  std::ranges::stable_sort(minima, {}, &optim::FitMinimum::cost);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < minima.size(); ++k) places.push_back(k + 1);
  const auto groups = groups_of(fit, minima);
  ordered_json series = ordered_json::array();
  for (std::size_t g = 0; g < std::min(groups.size(), most_groups); ++g) {
    const bool is_rest = g + 1 == most_groups && groups.size() > most_groups;
    ordered_json values(minima.size(), nullptr);
    std::size_t count = 0;
    for (std::size_t other = g; other < (is_rest ? groups.size() : g + 1); ++other)
      for (const std::size_t k : groups[other].searches) {
        values[k] = std::max(floor_of_rise, 2 * (minima[k].cost - minima.front().cost));
        ++count;
      }
    const std::string name = is_rest ? fmt::format("{} other minima", groups.size() - g) : name_of(groups, g);
    series.push_back({{"label", fmt::format("{} ({} of {} searches)", name, count, minima.size())},
                      {"values", values},
                      {"style", "points"}});
  }
  std::string note = fmt::format(
      "Results of the searches of the last stage, in order: increase of χ² over the best one; values below {:g} are "
      "drawn at {:g}. Searches whose values differ by at most 3 standard errors have the same color.",
      floor_of_rise, floor_of_rise);
  if (groups.front().place >= 0)
    note +=
        " Alternatives are other estimates, which the recordings do not distinguish from this one; what ended "
        "elsewhere is "
        "worse, or no minimum.";
  if (minima.size() < all) note += fmt::format(" {} of {} searches failed.", all - minima.size(), all);
  return {Section{"plot",
                  {{"title", "Searches from all starts"},
                   {"note", note},
                   {"x", {{"label", "search, best first"}, {"unit", ""}, {"values", places}}},
                   {"y", {{"label", "increase of χ²"}, {"unit", ""}, {"log", true}}},
                   {"series", series}}}};
}

}  // namespace pithball::app
