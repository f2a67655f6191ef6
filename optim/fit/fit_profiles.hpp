#pragma once
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

/// The profile of one parameter of a fit (profile.hpp), in physical values: what fit.json holds.
struct FittedProfile {
  std::string name, unit;      ///< as in ParameterInfo
  std::vector<double> values;  ///< where the parameter was held, ascending, the estimate included
  std::vector<double> rises;   ///< Δχ² of the best fit there
  double threshold = 0;        ///< Δχ² at the ends of the interval
  /// Where the data set no limit: the furthest value that was tried; NaN: none was sought on that side.
  double interval_lower = 0, interval_upper = 0;
  std::string open_below, open_above;  ///< why an end is not a limit; empty: it is one, or none was sought

  /// What the user should know, one sentence each: open ends, a better fit on the way.
  std::vector<std::string> warnings() const;
};

/// The numbers of the parameters that `wanted` names, each by its own name or by that of its value, which means all of
/// that value. Throws InvalidArgument for a name that is neither; `key` names the list.
std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key = "profiles");

/// A profile of a parameter of the fit.
FittedProfile make_fitted_profile(const ParameterInfo& info, const Profile& profile, double threshold);

}  // namespace pithball::optim
