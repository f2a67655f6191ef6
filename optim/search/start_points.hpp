#pragma once
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/search/search_stage.hpp"

namespace pithball::optim {

/// The given start and count − 1 points θ of a Latin hypercube (McKay, Beckman & Conover 1979): for each parameter one
/// point in each of count − 1 equal parts of its range. If both bounds are finite, the range is from bound to bound,
/// uniform in θ (that is, in the logarithm for a stiffness); otherwise p is drawn log-uniformly from start/factor to
/// start·factor, with the start's sign, within the bounds. Nuisance parameters keep their start in all points: they are
/// not of interest and have no written bounds. Throws InvalidArgument if the count is not from 1 to 100,000, the factor
/// not above 1, or one of the others has neither two bounds nor a nonzero start.
std::vector<Vector> make_start_points(const ParameterMap& map, const SearchStarts& starts);

}  // namespace pithball::optim
