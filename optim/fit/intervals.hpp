#pragma once
#include <string>
#include <vector>

#include "optim/fit/scaled_fit.hpp"

namespace pithball::optim {

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
///   2. from 0 to the upper limit of a value consistent with 0 (limits.hpp), or else that of a `laplace` prior
///      (laplace_intervals.hpp),
///   3. with IntervalMethod::Bootstrap, percentiles of fits to resampled recordings (bootstrap.hpp), one-sided at a
///   limit,
///   4. with IntervalMethod::Profile, the profile of χ² where the linearized interval does not hold
///      (checked_intervals.hpp), but not at a limit,
/// the last one gives the interval. Where χ² is rough, it is widened to the values that fit as well (roughness.hpp).
/// Where the search ended short of the minimum (`ScaledFit::is_short`), all errors are first multiplied by √(1 + left),
/// as the minimum may be √left standard errors away. Finally an interval that reaches 0, a natural bound, becomes an
/// upper limit, and a value whose interval says nothing is not identifiable.
Intervals choose_intervals(const IntervalBasis& basis);

/// Of a table with intervals: which values have an upper limit because their interval reaches 0, and which are
/// identifiable.
std::vector<FittedParameter> with_identifiability(const ParameterMap& map, std::vector<FittedParameter> table);

}  // namespace pithball::optim
