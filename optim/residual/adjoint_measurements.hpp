#pragma once
#include "optim/observation/readings.hpp"

namespace pithball::optim {

/// wᵀ ∂r/∂values of one recording, by one adjoint of its recorded run: in all its flat values, those of its
/// recording_frame behind them (`recording_values`). `readings` were gathered in that run, of a model with its values.
Vector gather_gradient(diff::AdjointRollout& run, const Readings& readings, const sim::Model& model,
                       const Eigen::Ref<const Vector>& w);

}  // namespace pithball::optim
