#pragma once
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/report.hpp"

namespace pithball::optim {

/// The table of results at θ (P), one line per parameter, without errors.
std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta);

/// The same with errors and linearized intervals; `errors`, `sides`: P, of θ and of the bounds on which it lies.
/// Without a half width there is no interval.
std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta,
                                      const std::vector<ParameterErrors>& errors, const std::vector<BoundSide>& sides);

}  // namespace pithball::optim
