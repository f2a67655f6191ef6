#pragma once
#include <optional>

#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/settled_scales.hpp"
#include "optim/verdict/misfit_causes.hpp"

namespace pithball::optim {

/// Part of the excess of χ² that a suspect explains.
inline constexpr double telling_part = 0.2;

/// What one value that the fit holds explains of its residuals at θ, if it is more than `telling_part` of the excess of
/// χ² and significant at `change_alarm`: a value of the whole body, of the clock, the placement or the instrument of a
/// recording, or the start (`diagnose`, without single particles, springs and attachments). It costs a few runs with
/// tangents. `scales`: of the residuals.
std::optional<MisfitCause> find_suspect(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales);

}  // namespace pithball::optim
