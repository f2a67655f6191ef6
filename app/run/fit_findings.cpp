#include "app/run/fit_findings.hpp"

#include "app/base/json_text.hpp"

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
          {"coloured", w.is_coloured()}};
}

}  // namespace

nlohmann::ordered_json whiteness_json(const std::vector<optim::RecordingWhiteness>& recordings) {
  ordered_json list = ordered_json::array();
  for (const optim::RecordingWhiteness& recording : recordings) {
    ordered_json markers = ordered_json::array();
    for (const optim::Whiteness& marker : recording.markers) markers.push_back(statistics_json(marker));
    list.push_back({{"recording", recording.recording}, {"all", statistics_json(recording.all)}, {"markers", markers}});
  }
  return list;
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

}  // namespace pithball::app
