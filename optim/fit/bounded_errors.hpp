#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/report.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/identifiability.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/sampled_errors.hpp"

namespace pithball::optim {

class ResolvedFit;

/// The bound on which an entry of θ lies.
enum class BoundSide { None, Lower, Upper };

/// The bound on which each entry of θ lies (P), within 1e-6 of its scale to allow for rounding.
std::vector<BoundSide> find_bounds(const ParameterMap& map, const Vector& theta);

/// Errors of a fit at θ, and intermediate results.
struct BoundedErrors {
  std::vector<BoundSide> sides;  ///< P
  std::vector<bool> held;        ///< P: active bounds; errors of all others treat these values as known
  FitRows rows;                  ///< without derivatives with respect to held values
  Scores scores;                 ///< effect of the loss on `rows`
  AllErrors errors;  ///< errors that treat held values as known; those of the held values themselves are of a fit
                     ///< without bounds
  std::optional<ScaleSymmetry> symmetry;  ///< among those that are not held
  std::vector<std::string> shifts;        ///< sentences on shifts of recordings that errors include (carry_shifts)
  std::string failure;  ///< why errors of the initial state or placement are omitted; empty if they are included
};

/// All kinds of errors from the rows of a fit at θ, with the data's Jacobian J, R×P. A bound is active if the cost's
/// gradient,
///    g_k = ∂/∂θ_k (½ Σρ/τ² + ½|r_p|²) = J_kᵀψ/τ² + J_pkᵀr_p,
/// pushes θ_k out of it: for small changes of the recordings the value stays on the bound, so the covariance treats it
/// as known (as the search does). The errors of that value are those of a fit without bounds, whose estimate lies
/// beyond the bound; they are too large rather than too small. `data_scale`: τ of the search.
BoundedErrors compute_bounded_errors(const ResolvedFit& fit, const Vector& theta, FitRows rows, double data_scale);

/// The interval of one value. Two-sided: the image of θ ± half width under the transform, clipped to the bounds. On a
/// bound: one-sided at the same confidence level, from there to θ ± t₁ · standard error.
void set_interval(const ParameterInfo& info, BoundSide side, double theta, const ParameterErrors& errors,
                  FittedParameter& p);

/// The table of results at θ (P), one line per parameter, without errors.
std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta);

/// The same with errors and linearized intervals; `errors`, `sides`: P, of θ and of the bounds on which it lies.
/// Without a half width there is no interval.
std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta,
                                      const std::vector<ParameterErrors>& errors, const std::vector<BoundSide>& sides);

/// Errors of a fit with many values.
struct ManyErrors {
  std::vector<FittedParameter> parameters;  ///< the table of results; without errors after a failure
  SampledErrors errors;                     ///< of θ
  ErrorReport report;                       ///< how they were computed
  EvaluationCounts evaluations;             ///< made to compute the errors
  std::vector<std::string> notes;           ///< notes for the user, one sentence each
};

/// Errors of a fit with more values than `UncertaintyAnalysis::full_limit`, from random samples (sampled_errors.hpp):
/// one recorded run and some hundred products. Those in `UncertaintyAnalysis::exact_standard_errors` are computed from
/// a linear system each. Correlations, weak directions and the errors of a held initial state or placement stay
/// unknown. A value on an active bound is held and has no error.
ManyErrors compute_many_errors(const ResolvedFit& fit, const FitOptimum& optimum);

}  // namespace pithball::optim
