#pragma once
#include "optim/fit/search.hpp"

namespace pithball::optim {

/// The end was requested.
void note_stop(SearchEnd& end);

/// Searches; then settles the scales of the residuals (settled_scales.hpp), leaves a rough place (roughness.hpp) and
/// raises vanished values (limits.hpp), the last two only if there will be standard errors. Without parameters nothing
/// is searched.
FitOptimum find_optimum(const ResolvedFit& fit, const SearchWatch& watch = {});

/// The optimum of a fit with the same parameters, by one search from an optimum of another; scales, a rough place and
/// vanished values are looked at as in `find_optimum`. The ends of further searches are those of another cost, and are
/// left out.
FitOptimum searched_from(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch);

/// The optimum with the ends of further searches of the whole problem among those of the last stage, so that they are
/// compared like those from several starts (minima.hpp). Where one is better than the optimum, it is the new one: a
/// search that was cut off goes on, and scales, a rough place and vanished values are looked at as after the first
/// search. `evaluations`: of these searches.
FitOptimum with_ends(const ResolvedFit& fit, FitOptimum optimum, std::vector<FoundMinimum> ends,
                     const EvaluationCounts& evaluations, const MinimizerWatch& watch);

}  // namespace pithball::optim
