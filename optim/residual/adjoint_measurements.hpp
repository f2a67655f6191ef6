#pragma once
#include "optim/observation/readings.hpp"

namespace pithball::optim {

/// wᵀ ∂r/∂values of one recording, by one adjoint of its recorded run, with respect to all its flat values, including
/// its recording_frame (`recording_values`). `readings` must be from that run, with a model with its values.
Vector gather_gradient(diff::AdjointRollout& run, const Readings& readings, const sim::Model& model,
                       const Eigen::Ref<const Vector>& w);

}  // namespace pithball::optim
