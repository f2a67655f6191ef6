#pragma once
#include <vector>

#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

/// (∂r/∂values)ᵀ W at θ for chosen recordings, by one run and one adjoint for each column of W: `values` are all flat
/// values of a recording, fitted or not, followed by those of its recording_frame; size() + RecordingFrame::size() rows
/// each. W: one row for each residual. A recording without residuals gets zeros.
Evaluation compute_value_gradients(const TrajectoryResidual& residual, const Vector& theta,
                                   const std::vector<std::size_t>& recordings, const Eigen::MatrixXd& W,
                                   std::vector<Eigen::MatrixXd>& gradients);

}  // namespace pithball::optim
