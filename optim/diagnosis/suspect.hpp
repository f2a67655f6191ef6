#pragma once
#include <optional>

#include "optim/fit/bounded_errors.hpp"
#include "optim/verdict/misfit_causes.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Part of the excess of χ² that a suspect explains.
inline constexpr double telling_part = 0.2;

/// What one value that the fit holds, or a spring that its body lacks, explains of its residuals at θ, if it is
/// significant at `change_alarm` and, where χ² has an excess, more than `telling_part` of it: a value of the whole
/// body, of the clock, the placement or the instrument of a recording, the time step, or the start; of kinds of which
/// there are few, and of others once such a value is found, of single particles, springs and attachments, too
/// (`diagnose`). It costs a few runs with tangents. `errors`: those at θ.
std::optional<MisfitCause> find_suspect(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& errors);

}  // namespace pithball::optim
