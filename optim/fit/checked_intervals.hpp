#pragma once
#include "optim/fit/bounded_errors.hpp"

namespace pithball::optim {

/// Holds the linearized intervals of the parameters that were asked for against the model, by two runs each
/// (check_curvature). With IntervalMethod::Profile an interval whose Δχ² is more than `curved` off is replaced by that
/// of the profile (compute_profile), 8 runs or more, whose ends are where χ² has risen by as much as the widest
/// interval has in the linearized problem. Profiles of FitProblem::profile are made whatever the check says. Upper
/// limits, which are straight in p, stay; so do all of an exact motion, whose residuals are rounding; values with a
/// `laplace` prior keep the interval of its distribution, and those that were found by resampling, which supposes no
/// linearity. Where intervals stay linear, a note says what does not hold.
void check_intervals(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report);

/// Decides by their intervals which values are identifiable, and which have an upper limit because they reach 0.
void judge_identifiable(const ParameterMap& map, std::vector<FittedParameter>& table);

}  // namespace pithball::optim
