#pragma once
#include "optim/observation/reading_slopes.hpp"

namespace pithball::optim {

/// Columns that one sweep along a recorded run carries, at most. Fixed, so that rounding does not depend on the number
/// of threads. More columns share more work, fewer more threads.
constexpr Index columns_per_sweep = 8;

/// Wᵀ ∂r/∂values of one recording, transposed: a column for each column of W, by one pass of adjoints along its
/// recorded run, with respect to all its flat values, including its recording_frame (`recording_values`). `slopes` must
/// be those of that run.
Eigen::MatrixXd gather_gradients(diff::AdjointRollout& run, const ReadingSlopes& slopes,
                                 const Eigen::Ref<const Eigen::MatrixXd>& W);

}  // namespace pithball::optim
