#pragma once
#include "optim/fit/bounded_errors.hpp"

namespace pithball::optim {

/// Fits to resampled recordings: by so many an interval's end is known to a tenth of its half width.
inline constexpr Index bootstrap_draws = 200;

/// With IntervalMethod::Bootstrap, the intervals of all values from fits to recordings whose residuals are resampled in
/// blocks of frames (BlockSigns), r*(θ) = r(θ) − r̂ + √(R/ν) r̂*, and whose priors' means are drawn anew: the percentiles
/// of the estimates, corrected for bias. Each fit begins at the estimate and goes by Gauss–Newton steps with the
/// curvature there, the first from the derivatives at hand, so that a draw costs one to three runs. Errors of what the
/// fit holds (FitProblem::value_errors) are added as they are; where the jackknife over recordings says that errors are
/// wider than frames tell, intervals are stretched by that. Where more than a tenth of the draws cannot be fitted,
/// linearized intervals stay and a note says so.
void bootstrap_intervals(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report);

}  // namespace pithball::optim
