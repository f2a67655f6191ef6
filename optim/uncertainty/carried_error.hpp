#pragma once
#include <vector>

#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// Values of a recording that a fit holds though they are known with an error only: a start that was read off its first
/// frames, a placement that was registered on one of them.
struct ValueError {
  std::vector<Index> entries;  ///< in the flat values of the recording, those of its recording_frame behind them
  Eigen::MatrixXd root;        ///< entries × k: their covariance is root rootᵀ, in SI units
};

/// Adds a covariance of θ to that of the residuals, C ← C + `added`, and so to standard errors, half widths and
/// correlations. Without a scale of the residuals, or where θ is not identifiable, nothing changes.
void carry_error(const Eigen::MatrixXd& added, Uncertainty& u);

}  // namespace pithball::optim
