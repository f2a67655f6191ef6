#pragma once
#include "optim/fit/fit.hpp"
#include "optim/uncertainty/sampled_errors.hpp"

namespace pithball::optim {

/// Errors of a fit with more values than `FitProblem::uncertainty_limit`, from random samples (sampled_errors.hpp), of
/// which one recorded run and some hundred products along it are made; those of `FitProblem::exact_standard_errors`
/// from a system each. Fills in errors and intervals of all parameters, scale, degrees of freedom and what errors rest
/// on. Correlations and directions without information stay unknown, and so does what errors of a start or a placement
/// that were held would add. A value on a bound that the cost would rather cross is held, and has no error itself.
void judge_many(const ResolvedFit& fit, FitReport& report);

}  // namespace pithball::optim
