#pragma once
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

/// How much of a recording's residuals a linear step of the fitted parameters leaves. With r the residuals at θ and J
/// their Jacobian,
///    |r − J J⁺ r|² / |r|².
/// If another unit explains the recording, r is almost proportional to its readings; so a small number says that
/// parameters change them as another unit does, like the charge of a drop that drifts in a field: then data cannot tell
/// a wrong unit from a wrong start. 0 where this cannot be computed: r has no derivative at θ, or fewer rows than twice
/// the parameters.
double left_by_parameters(const TrajectoryResidual& residual, const Vector& theta, std::size_t recording);

}  // namespace pithball::optim
