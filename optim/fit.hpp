#pragma once
#include <optional>

#include "optim/fit/problem.hpp"
#include "optim/fit/report.hpp"
#include "optim/fit/search.hpp"
#include "optim/residual/whole_run.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Fits the parameters, then evaluates the result: errors of every kind from the Jacobian at the optimum
/// (parameter_errors.hpp, bounded_errors.hpp, checked_intervals.hpp), and errors of fitted and predicted positions. All
/// of this, and the states passed to `show`, come from one run of each recording after the search. Where the fit is off
/// or aliases are possible, further starts are tried first (further_starts.hpp); where a profile or a fit to a
/// resampled recording finds a better point, the search continues from it, and everything is computed again, up to
/// three times: `show` then sees another run from its first state on, and the last one counts. Of a fit that converged
/// and fits, what its model or file lacks is looked for last (diagnosis/misfit_diagnosis.hpp).
FitReport fit(const ResolvedFit& problem, const ShowStep& show = {}, const SearchWatch& watch = {});
/// The same for a problem that is resolved only for this call. Throws InvalidArgument on an invalid one, before the
/// first run.
FitReport fit(const FitProblem& problem, const SearchWatch& watch = {});

/// A fit, and the same at half the time step.
struct FitAtBothSteps {
  FitReport report;                  ///< of the fit
  std::optional<HalvedStep> halved;  ///< from its estimates (half_step.hpp); empty: its search did not converge
};

/// Fits at both steps. If the search at half the step ends in another minimum, and one at the whole step finds a better
/// fit from there, that is the fit, as after a better point of a profile.
FitAtBothSteps fit_at_both_steps(const ResolvedFit& problem, const ShowStep& show = {}, const SearchWatch& watch = {});

}  // namespace pithball::optim
