#pragma once
#include <vector>

#include "optim/fit/report.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Tests for causes of a misfit, cheapest first: the unit of length (of positions: the extent of the markers), the time
/// step (one run at half of it), the initial state (the first frame), a local minimum (whether an early part fits), the
/// placement (whether one shift explains most), and finally the model. Only causes indicated by a test are listed, then
/// the model. For a fit that is not far off but has χ² significantly above 1, only these; empty for a good fit.
/// `quality`: of the residuals at θ; `half_step_length`: their length at half the time step, NaN if unknown.
std::vector<MisfitCause> find_misfit_causes(const ResolvedFit& fit, const Vector& theta, const FitQuality& quality,
                                            double half_step_length);

}  // namespace pithball::optim
