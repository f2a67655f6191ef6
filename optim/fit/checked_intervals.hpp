#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/scaled_fit.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

/// What became of the interval of one value when it was held against the model.
struct CheckedInterval {
  Index k = 0;                     ///< number of the value
  bool is_wanted = false;          ///< its profile is requested, whatever the check says
  bool is_checked = false;         ///< its ends are those of the linearized problem
  IntervalSought sought;           ///< the ends that were held against the model
  double deviation = 0;            ///< relative deviation of Δχ² there from its linear value, the larger of both
  std::optional<Profile> profile;  ///< empty: not needed
  EvaluationCounts counts;         ///< of the check and the profile
};

/// Those of all values that were looked at.
struct CheckedIntervals {
  std::vector<CheckedInterval> list;  ///< in the order of θ
  std::string failure;  ///< why intervals were not checked or replaced, in a sentence; empty: nothing was left out
};

/// Checks linearized intervals against the model, with two runs each (check_curvature), and computes the profiles of
/// those whose Δχ² is off by more than `curved` with IntervalMethod::Profile (compute_profile; 8 runs or more), with
/// ends where χ² has risen as much as at the ends of the widest interval of the linearized problem. Profiles in
/// UncertaintyAnalysis::profiles are always computed; of more than 30 inaccurate intervals no others, which is said.
/// Not checked: upper limits, which are linear in p; intervals of an exact motion, whose residuals are rounding errors;
/// values where χ² is rough (roughness.hpp); values that differ between recordings (random effects); values with a
/// `laplace` prior, which keep the interval of its distribution; and intervals from resampling, which does not assume
/// linearity. `table`: with the intervals to be checked.
CheckedIntervals check_intervals(const IntervalBasis& basis, const std::vector<FittedParameter>& table);

/// Whether residuals are the rounding of one run against another, not a scatter that intervals could be held against:
/// less than a millionth of the motion that was recorded, or of how far the markers are apart. `data_scale`: of the
/// residuals, in units of sigma.
bool shows_no_scatter(const FitProblem& problem, double data_scale);

}  // namespace pithball::optim
