#pragma once
#include "optim/observation/reading_slopes.hpp"

namespace pithball::optim {

/// wᵀ ∂r/∂values of one recording, by one adjoint of its recorded run, with respect to all its flat values, including
/// its recording_frame (`recording_values`). `slopes` must be those of that run.
Vector gather_gradient(diff::AdjointRollout& run, const ReadingSlopes& slopes, const Eigen::Ref<const Vector>& w);

}  // namespace pithball::optim
