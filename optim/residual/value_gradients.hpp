#pragma once
#include <vector>

#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

/// Number of the entry of a common error of all recorded readings of one component of a marker, minus that of what they
/// are compared with: with displacements, an error of the recorded reference. These entries come after all others.
Index reference_entry(const diff::Scenario& scenario, Index marker, Index component);

/// (∂r/∂values)ᵀ W at θ for chosen recordings, by one run and one adjoint for each column of W: `values` are all flat
/// values of a recording, fitted or not, followed by those of its recording_frame and by the errors of its markers'
/// references (`reference_entry`); size() + RecordingFrame::size() + 3M rows each. W: one row for each residual. A
/// recording without residuals gets zeros.
Evaluation compute_value_gradients(const TrajectoryResidual& residual, const Vector& theta,
                                   const std::vector<std::size_t>& recordings, const Eigen::MatrixXd& W,
                                   std::vector<Eigen::MatrixXd>& gradients);

}  // namespace pithball::optim
