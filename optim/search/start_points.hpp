#pragma once
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/search/search_stage.hpp"

namespace pithball::optim {

/// The given start and count − 1 points θ of a Latin hypercube (McKay, Beckman & Conover 1979): in each parameter one
/// point in each of count − 1 equal parts of its range. The range goes in θ from bound to bound where both are finite
/// (there), so evenly in the logarithm of a stiffness; otherwise p goes evenly in its logarithm from start/factor to
/// start·factor, with the start's sign, within the bounds. Nuisance parameters keep their start in all points: they are
/// nobody's question, and nobody has written bounds of them. Throws InvalidArgument if the count is not from 1 to
/// 100,000, the factor not above 1, or one of the others has neither two bounds nor a start other than 0.
std::vector<Vector> make_start_points(const ParameterMap& map, const SearchStarts& starts);

}  // namespace pithball::optim
