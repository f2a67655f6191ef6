#pragma once
#include "optim/fit/problem.hpp"
#include "optim/fit/report.hpp"
#include "optim/fit/search.hpp"
#include "optim/residual/whole_run.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Fits the parameters, then evaluates the result: errors of every kind from the Jacobian at the optimum
/// (parameter_errors.hpp, bounded_errors.hpp, limits.hpp), and errors of fitted and predicted positions. All of this,
/// and the states passed to `show`, come from one run of each recording after the search.
FitReport fit(const ResolvedFit& problem, const ShowStep& show = {}, const SearchWatch& watch = {});
/// The same for a problem that is resolved only for this call. Throws InvalidArgument on an invalid one, before the
/// first run.
FitReport fit(const FitProblem& problem, const SearchWatch& watch = {});

}  // namespace pithball::optim
