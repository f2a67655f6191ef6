#pragma once
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/uncertainty/profile.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// The profile of one parameter of a fit (profile.hpp), in physical values, as in fit.json.
struct FittedProfile {
  std::string name,            ///< as in ParameterInfo
      unit;                    ///< likewise
  std::vector<double> values;  ///< values at which the parameter was held, ascending, including the estimate
  std::vector<double> rises;   ///< Δχ² of the best fit there
  double threshold = 0;        ///< Δχ² at the ends of the interval
  double interval_lower = 0,   ///< for an open end: the most distant value that was tried; NaN: not computed
      interval_upper = 0;      ///< likewise
  std::string open_below,      ///< why an end is open; empty: it is closed or was not computed
      open_above;              ///< likewise

  /// Notes for the user, one sentence each: open ends, a better fit found on the way.
  std::vector<std::string> warnings() const;
};

/// The numbers of the parameters in `wanted`, each given by its own name or by that of its value, which selects all of
/// that value. Throws InvalidArgument for any other name; `key` names the list.
std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key = "profiles");

/// A profile of a parameter of the fit.
FittedProfile make_fitted_profile(const ParameterInfo& info, const Profile& profile, double threshold);

/// An entry of `profile` in fit.json; open ends are read as unknown.
void fields(FieldVisitor& v, FittedProfile& profile);

}  // namespace pithball::optim
