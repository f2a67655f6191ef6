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

void fields(FieldVisitor& v, FittedProfile& p) {
  v.is("Profile", "the profile of χ² over one parameter");
  v("name", p.name, "of the parameter");
  v("unit", p.unit, "of its values");
  v("threshold", known(p.threshold), "rise of χ² at the ends of the interval");
  v("interval", Ends{p.interval_lower, p.interval_upper, p.open_below.empty(), p.open_above.empty()}, of_parameter,
    "ends of the interval; null: open, or not computed");
  v("open", TextEnds{p.open_below, p.open_above}, "why the lower and the upper end are open; null: they are not");
  v("points", Zipped{p.values, p.rises}, "values of the parameter, and the rise of χ² of the best fit there");
}

}  // namespace pithball::optim
