#pragma once
#include <vector>

#include "optim/fit/report.hpp"
#include "optim/residual/whole_run.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Correlation and size of the residuals of a fit, without samples that a loss sets aside.
struct ResidualStatistics {
  std::vector<RecordingWhiteness> whiteness;  ///< by recording with fitted samples
  FitQuality quality;                         ///< misfit compared with the recordings' own noise
};

/// From a run of all recordings at θ; empty if it failed or there are no residuals. `undetermined`: number of
/// directions of θ that are known to be undetermined, which cost no degree of freedom.
ResidualStatistics compute_residual_statistics(const ResolvedFit& fit, const WholeRun& run,
                                               const ResidualScales& scales, std::size_t undetermined);

/// Notes on residuals that are correlated, or large beside the recordings' own noise, one sentence each.
std::vector<std::string> say_residuals(const ResolvedFit& fit, const WholeRun& run,
                                       const ResidualStatistics& statistics);

}  // namespace pithball::optim
