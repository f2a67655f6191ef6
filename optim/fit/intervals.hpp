#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/parameter/parameter.hpp"

namespace pithball::optim {

/// The `laplace` prior of a parameter; null if it has none.
const LaplacePrior* find_laplace_prior(const FitProblem& problem, const ParameterInfo& info);

/// Interval of a value with a Laplace prior, between the (1 ± confidence)/2 quantiles of the density
///    exp(−½ w (p − p̂)² + g (p − p̂) − √(z² + ε²)),   z = (p − value)/scale,
/// with the information w of everything else and the slope g that puts its maximum at the estimate p̂. Without other
/// information this is the interval of the prior, p̂ ± 3.0 scale at 95 %; with much, p̂ ± t/√w. `t`: quantile of
/// Student's t that replaces that of the normal distribution. Throws InvalidArgument unless w ≥ 0 and 0 < confidence <
/// 1.
std::pair<double, double> laplace_interval(const LaplacePrior& prior, double estimate, double w, double confidence,
                                           double t);

/// `laplace_interval` of value k, within its bounds; empty: it has no such prior, no errors, or lies on a bound. `p`:
/// its estimate and error.
std::optional<std::pair<double, double>> find_laplace_interval(const ResolvedFit& fit, const BoundedErrors& errors,
                                                               Index k, const FittedParameter& p);

/// The intervals of a fit, and what was computed to choose them.
struct Intervals {
  std::vector<FittedParameter> parameters;  ///< the table of results, with errors and intervals
  std::vector<FittedProfile> profiles;      ///< requested ones, and those of values that are not linear enough
  EvaluationCounts evaluations;             ///< of all rules
  std::vector<std::string> notes;           ///< notes for the user, one sentence each
  std::vector<BetterPoint> better;          ///< that show that the search missed a minimum, by rule
};

/// Chooses the interval of every value. Of the rules that apply, in this order,
///   1. the linearized interval, one-sided on a bound (bounded_errors.hpp),
///   2. from 0 to the upper limit of a value consistent with 0 (checked_intervals.hpp), or else that of a prior
///      `laplace`,
///   3. with IntervalMethod::Bootstrap, percentiles of fits to resampled recordings (scaled_fit.hpp), one-sided at
///      a limit,
///   4. with IntervalMethod::Profile, the profile of χ² where the linearized interval does not hold
///      (checked_intervals.hpp), but not at a limit,
/// the last one gives the interval. Where χ² is rough, it is widened to the values that fit as well (fit_optimum.hpp).
/// Where the search ended short of the minimum (`ScaledFit::is_short`), all errors are first multiplied by √(1 + left),
/// as the minimum may be √left standard errors away. Finally an interval that reaches 0, a natural bound, becomes an
/// upper limit, and a value whose interval says nothing is not identifiable.
Intervals choose_intervals(const IntervalBasis& basis);

/// The table with upper limits for values whose interval reaches 0, and with the identifiability of every value.
std::vector<FittedParameter> with_identifiability(const ParameterMap& map, std::vector<FittedParameter> table);

}  // namespace pithball::optim
