#pragma once
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// The profile of one parameter of a fit (profile.hpp), in physical values.
struct FittedProfile {
  std::string name, unit;                         ///< as in ParameterInfo
  std::vector<double> values;                     ///< where the parameter was held, ascending, the estimate included
  std::vector<double> rises;                      ///< Δχ² of the best fit there
  double threshold = 0;                           ///< Δχ² at the ends of the interval
  double interval_lower = 0, interval_upper = 0;  ///< where the data set no limit: the furthest value that was tried
  std::string open_below, open_above;             ///< why an end is not a limit; empty: it is one

  /// What the user should know, one sentence each: open ends, a better fit on the way.
  std::vector<std::string> warnings() const;
};

/// The numbers of the parameters that `wanted` names, each by its own name or by that of its value, which means all of
/// that value. Throws InvalidArgument for a name that is neither; `key` names the list.
std::vector<Index> find_parameters(const ParameterMap& map, const std::vector<std::string>& wanted,
                                   const std::string& key = "profile");

/// Profiles parameter k about the fit's θ: an interval of the confidence of `u`, with its scale of residuals.
FittedProfile profile_parameter(const ParameterMap& map, const Residual& residual, const Vector& theta, Index k,
                                const Uncertainty& u, const MinimizerOptions& minimizer);

}  // namespace pithball::optim
