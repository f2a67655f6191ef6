#pragma once
#include "optim/fit/report.hpp"
#include "optim/uncertainty/sampled_errors.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Errors of a fit with more values than `FitProblem::uncertainty_limit`, from random samples (sampled_errors.hpp): one
/// recorded run and some hundred products. Those in `FitProblem::exact_standard_errors` are computed from a linear
/// system each. Fills in errors and intervals of all parameters, scale, degrees of freedom and the error report.
/// Correlations, weak directions and the errors of a held initial state or placement stay unknown. A value on an active
/// bound is held and has no error.
void judge_many(const ResolvedFit& fit, FitReport& report);

}  // namespace pithball::optim
