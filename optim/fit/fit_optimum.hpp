#pragma once
#include "optim/fit/search.hpp"

namespace pithball::optim {

/// Searches; then settles the scales of the residuals (settled_scales.hpp), leaves a rough place (roughness.hpp) and
/// raises vanished values (limits.hpp), the last two only if there will be standard errors. Without parameters nothing
/// is searched.
FitOptimum find_optimum(const ResolvedFit& fit, const SearchWatch& watch = {});

}  // namespace pithball::optim
