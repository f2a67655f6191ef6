#include "optim/fit/fit_profiles.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {

std::vector<std::string> FittedProfile::warnings() const {
  std::vector<std::string> sentences;
  if (!open_below.empty()) sentences.push_back(name + ": the profile sets no limit below (" + open_below + ")");
  if (!open_above.empty()) sentences.push_back(name + ": the profile sets no limit above (" + open_above + ")");
  const auto deepest = std::min_element(rises.begin(), rises.end());
  if (deepest != rises.end() && *deepest < -Profile::rounding) {
    const double value = values[deepest - rises.begin()];
    std::string text = formatted("%.4g", value);
    sentences.push_back(name + ": a better fit lies at " + text + (unit.empty() ? "" : " " + unit) +
                        "; the search ended in a local minimum: start it there");
  }
  return sentences;
}

std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key) {
  std::vector<Index> found;
  for (const std::string& name : wanted) {
    bool is_known = false;
    for (Index k = 0; k < map.size(); ++k) {
      const ParameterInfo& info = map.info()[k];
      if (info.name != name && info.value != name) continue;
      is_known = true;
      if (std::find(found.begin(), found.end(), k) == found.end()) found.push_back(k);
    }
    if (is_known) continue;
    std::string known;
    for (const std::string& other : map.names()) known += (known.empty() ? "" : ", ") + other;
    throw InvalidArgument({"", key, "must be parameters of the fit", "'" + name + "'", "these are " + known});
  }
  return found;
}

FittedProfile make_fitted_profile(const ParameterInfo& info, const Profile& profile, double threshold) {
  FittedProfile fitted;
  fitted.name = info.name;
  fitted.unit = info.unit;
  fitted.threshold = threshold;
  for (const ProfilePoint& point : profile.points) {
    fitted.values.push_back(info.transform.value(point.theta));
    fitted.rises.push_back(point.rise);
  }
  fitted.interval_lower = info.transform.value(profile.lower.theta);
  fitted.interval_upper = info.transform.value(profile.upper.theta);
  fitted.open_below = profile.lower.reason;
  fitted.open_above = profile.upper.reason;
  return fitted;
}

}  // namespace pithball::optim
