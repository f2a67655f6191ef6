#pragma once
#include <vector>

#include "optim/fit/fit.hpp"

namespace pithball::optim {

/// Looks for the causes of a misfit in the order of what their tests cost: the unit of length (the spread of the
/// markers), the time step (one run at half of it), the
/// start state (the first frame), a wrong minimum (whether an early part fits), the placement (whether one shift
/// explains most), and last the model, which is all that is left. Those that a test speaks for come first. Of
/// a fit that is not far off but whose χ² is above 1 beyond chance only these; empty if neither is so.
std::vector<MisfitCause> find_misfit_causes(const ResolvedFit& fit, const FitReport& report);

}  // namespace pithball::optim
