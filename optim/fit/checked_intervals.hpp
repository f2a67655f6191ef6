#pragma once
#include "optim/fit/bounded_errors.hpp"

namespace pithball::optim {

/// Checks the linearized intervals of the requested parameters against the model, with two runs each (check_curvature).
/// With IntervalMethod::Profile, an interval whose Δχ² is off by more than `curved` is replaced by the profile interval
/// (compute_profile; 8 runs or more), with ends where χ² has risen as much as at the ends of the widest interval of the
/// linearized problem. Profiles in FitProblem::profile are always computed. Not replaced: upper limits, which are
/// linear in p; intervals of an exact motion, whose residuals are rounding errors; values where χ² is rough
/// (roughness.hpp); values with a `laplace` prior, which keep the interval of its distribution; and intervals from
/// resampling, which does not assume linearity. If intervals stay linear, a note says which do not hold.
void check_intervals(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report);

/// Whether residuals are the rounding of one run against another, not a scatter that intervals could be held against:
/// less than a millionth of the motion that was recorded, or of how far the markers are apart. `data_scale`: of the
/// residuals, in units of sigma.
bool shows_no_scatter(const FitProblem& problem, double data_scale);

/// Determines from the intervals which values are identifiable, and which have an upper limit because they are
/// consistent with 0.
void judge_identifiable(const ParameterMap& map, std::vector<FittedParameter>& table);

}  // namespace pithball::optim
