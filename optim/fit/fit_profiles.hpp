#pragma once
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

/// A profile in physical values: what fit.json holds.
struct FittedProfile {
  std::string name, unit;
  double threshold = 0;        ///< rise of χ² at the ends of the interval
  std::vector<double> values;  ///< ascending
  std::vector<double> rises;   ///< of χ², at each of them
  double interval_lower, interval_upper;
  std::string open_below, open_above;  ///< why there is no limit on that side; empty: there is one, or none was sought

  /// What the user should know, one sentence each.
  std::vector<std::string> warnings() const;
};

/// The numbers of the parameters that `wanted` names, each by its own name or by that of its value, which means all of
/// that value. Throws InvalidArgument for a name that is neither; `key` names the list.
std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key = "profile");

/// A profile of a parameter of the fit.
FittedProfile make_fitted_profile(const ParameterInfo& info, const Profile& profile, double threshold);

}  // namespace pithball::optim
