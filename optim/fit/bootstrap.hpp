#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/scaled_fit.hpp"
#include "optim/uncertainty/resampling.hpp"

namespace pithball::optim {

/// Number of fits to resampled recordings: determines an interval's end to a tenth of its half width.
inline constexpr Index bootstrap_draws = 200;

/// The ends of percentile intervals.
struct ResampledIntervals {
  std::vector<std::optional<PercentileEnds>> ends;  ///< P; empty: none was computed
  EvaluationCounts evaluations;                     ///< of all draws
  std::string failure;                              ///< why there are none, in a sentence; empty: there are
  BetterPoint lowest = {};  ///< of the points of all draws, by the χ² of the recordings as they are
};

/// Intervals of all values from fits to recordings whose residuals are resampled in blocks of frames (BlockSigns),
/// r*(θ) = r(θ) − r̂ + √(R/ν) r̂*, and whose prior means are drawn anew. They are bias-corrected percentiles of the
/// estimates; of a value with an upper limit (`table`), those of a one-sided interval. Each fit starts at the estimate
/// and takes Gauss–Newton steps with the curvature there, the first from known derivatives, so that a draw costs one to
/// three runs. Errors of held values (FitProblem::value_errors) are added; if differences between recordings
/// (jackknife, random effects) give larger errors than the frames, intervals are scaled by that ratio. None if more
/// than a tenth of the draws cannot be fitted. χ² of the recordings themselves is known at every point of a draw but
/// the last: the lowest one may show that the search missed a minimum.
ResampledIntervals resample_intervals(const IntervalBasis& basis, const std::vector<FittedParameter>& table);

}  // namespace pithball::optim
