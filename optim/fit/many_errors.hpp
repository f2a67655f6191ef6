#pragma once
#include <string>
#include <vector>

#include "optim/fit/search.hpp"
#include "optim/uncertainty/sampled_errors.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Errors of a fit with many values.
struct ManyErrors {
  std::vector<FittedParameter> parameters;  ///< the table of results; without errors after a failure
  SampledErrors errors;                     ///< of θ
  ErrorReport report;                       ///< how they were computed
  EvaluationCounts evaluations;             ///< for them
  std::vector<std::string> notes;           ///< notes for the user, one sentence each
};

/// Errors of a fit with more values than `UncertaintyAnalysis::full_limit`, from random samples (sampled_errors.hpp):
/// one recorded run and some hundred products. Those in `UncertaintyAnalysis::exact_standard_errors` are computed from
/// a linear system each. Correlations, weak directions and the errors of a held initial state or placement stay
/// unknown. A value on an active bound is held and has no error.
ManyErrors compute_many_errors(const ResolvedFit& fit, const FitOptimum& optimum);

}  // namespace pithball::optim
