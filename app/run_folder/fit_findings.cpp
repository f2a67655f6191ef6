#include "app/run_folder/fit_findings.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json statistics_json(const optim::Whiteness& w) {
  return {{"samples", w.samples},
          {"lag_1", number_or_null(w.lag_1)},
          {"durbin_watson", number_or_null(w.durbin_watson)},
          {"ljung_box", w.ljung_box},
          {"degrees", w.degrees},
          {"p_value", w.degrees > 0 ? ordered_json(w.p_value) : ordered_json(nullptr)},
          {"effective_samples", number_or_null(w.effective_samples)},
          {"colored", w.is_colored()}};
}

optim::Whiteness read_statistics(const ordered_json& json) {
  optim::Whiteness w;
  w.samples = json.at("samples");
  w.lag_1 = number_of(json.at("lag_1"));
  w.durbin_watson = number_of(json.at("durbin_watson"));
  w.ljung_box = number_of(json.at("ljung_box"));
  w.degrees = json.at("degrees");
  if (!json.at("p_value").is_null()) w.p_value = number_of(json.at("p_value"));
  w.effective_samples = number_of(json.at("effective_samples"));
  return w;
}

ordered_json correlation_json(const optim::MarkerCorrelation& between) {
  return {{"pairs", between.pairs},
          {"mean_correlation", number_or_null(between.mean)},
          {"statistic", between.statistic},
          {"p_value", between.pairs > 0 ? ordered_json(between.p_value) : ordered_json(nullptr)},
          {"common", between.is_common()}};
}

optim::MarkerCorrelation read_correlation(const ordered_json& json) {
  optim::MarkerCorrelation between;
  between.pairs = json.at("pairs");
  between.mean = number_of(json.at("mean_correlation"));
  between.statistic = number_of(json.at("statistic"));
  if (!json.at("p_value").is_null()) between.p_value = number_of(json.at("p_value"));
  return between;
}

}  // namespace

nlohmann::ordered_json whiteness_json(const std::vector<optim::RecordingWhiteness>& recordings) {
  ordered_json list = ordered_json::array();
  for (const optim::RecordingWhiteness& recording : recordings) {
    ordered_json markers = ordered_json::array();
    for (const optim::Whiteness& marker : recording.markers) markers.push_back(statistics_json(marker));
    list.push_back({{"recording", recording.recording},
                    {"all", statistics_json(recording.all)},
                    {"markers", markers},
                    {"between", correlation_json(recording.between)}});
  }
  return list;
}

std::vector<optim::RecordingWhiteness> read_whiteness(const ordered_json& json) {
  std::vector<optim::RecordingWhiteness> recordings;
  for (const ordered_json& told : json) {
    optim::RecordingWhiteness& recording = recordings.emplace_back();
    recording.recording = told.at("recording");
    recording.all = read_statistics(told.at("all"));
    for (const ordered_json& marker : told.at("markers")) recording.markers.push_back(read_statistics(marker));
    if (told.contains("between")) recording.between = read_correlation(told.at("between"));  // unknown to older fits
  }
  optim::share_alarm(recordings);
  return recordings;
}

nlohmann::ordered_json profiles_json(const std::vector<optim::FittedProfile>& profiles) {
  const auto end = [](double value, const std::string& open) {
    return open.empty() ? number_or_null(value) : ordered_json(nullptr);
  };
  const auto reason = [](const std::string& open) { return open.empty() ? ordered_json(nullptr) : ordered_json(open); };
  ordered_json list = ordered_json::array();
  for (const optim::FittedProfile& p : profiles) {
    ordered_json points = ordered_json::array();
    for (std::size_t k = 0; k < p.values.size(); ++k)
      points.push_back(ordered_json::array({number_or_null(p.values[k]), number_or_null(p.rises[k])}));
    list.push_back({{"name", p.name},
                    {"unit", p.unit},
                    {"threshold", p.threshold},
                    {"interval", {end(p.interval_lower, p.open_below), end(p.interval_upper, p.open_above)}},
                    {"open", {reason(p.open_below), reason(p.open_above)}},
                    {"points", points}});
  }
  return list;
}

std::vector<optim::FittedProfile> read_profiles(const ordered_json& json) {
  std::vector<optim::FittedProfile> profiles;
  for (const ordered_json& told : json) {
    optim::FittedProfile& p = profiles.emplace_back();
    p.name = told.at("name");
    p.unit = told.at("unit");
    p.threshold = told.at("threshold");
    p.interval_lower = number_of(told.at("interval").at(0));
    p.interval_upper = number_of(told.at("interval").at(1));
    p.open_below = text_of(told.at("open").at(0));
    p.open_above = text_of(told.at("open").at(1));
    for (const ordered_json& point : told.at("points")) {
      p.values.push_back(number_of(point.at(0)));
      p.rises.push_back(number_of(point.at(1)));
    }
  }
  return profiles;
}

}  // namespace pithball::app
