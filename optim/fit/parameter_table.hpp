#pragma once
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::optim {

/// The table of results at θ (P), a line for each parameter, without errors.
std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta);

/// Writes errors and intervals at θ into its table; `errors`, `sides`: P, of θ and of the bounds that it lies on. What
/// has no half width has no interval.
void fill_parameters(const ParameterMap& map, const Vector& theta, const std::vector<ParameterErrors>& errors,
                     const std::vector<BoundSide>& sides, std::vector<FittedParameter>& table);

}  // namespace pithball::optim
