#pragma once
#include "optim/fit/bounded_errors.hpp"

namespace pithball::optim {

/// Number of fits to resampled recordings: determines an interval's end to a tenth of its half width.
inline constexpr Index bootstrap_draws = 200;

/// With IntervalMethod::Bootstrap: the intervals of all values from fits to recordings whose residuals are resampled in
/// blocks of frames (BlockSigns), r*(θ) = r(θ) − r̂ + √(R/ν) r̂*, and whose prior means are drawn anew. They are
/// bias-corrected percentiles of the estimates. Each fit starts at the estimate and takes Gauss–Newton steps with the
/// curvature there, the first from known derivatives, so that a draw costs one to three runs. Errors of held values
/// (FitProblem::value_errors) are added; if the jackknife over recordings gives larger errors than the frames,
/// intervals are scaled by that ratio. If more than a tenth of the draws cannot be fitted, the linearized intervals
/// stay and a note says so.
void bootstrap_intervals(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report);

}  // namespace pithball::optim
