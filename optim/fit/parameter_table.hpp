#pragma once
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::optim {

/// The table of results at θ (P), a line for each parameter, without errors.
std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta);

/// Writes errors and intervals at θ into its table.
void fill_parameters(const ParameterMap& map, const Vector& theta, const BoundedErrors& judged,
                     std::vector<FittedParameter>& table);

}  // namespace pithball::optim
