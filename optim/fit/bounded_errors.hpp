#pragma once
#include <optional>
#include <vector>

#include "optim/fit/report.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/scale_symmetry.hpp"

namespace pithball::optim {

class ResolvedFit;

/// The bound on which an entry of θ lies.
enum class BoundSide { None, Lower, Upper };

/// P: within 1e-6 of θ's scale, to allow for rounding.
std::vector<BoundSide> find_bounds(const ParameterMap& map, const Vector& theta);

/// Errors of a fit at θ, and intermediate results.
struct BoundedErrors {
  std::vector<BoundSide> sides;           ///< P
  std::vector<bool> held;                 ///< P: active bounds; errors of all others treat these values as known
  FitRows rows;                           ///< without derivatives with respect to held values
  Scores scores;                          ///< effect of the loss on `rows`
  AllErrors errors;                       ///< with held values as known, except those of the held values themselves
  std::optional<ScaleSymmetry> symmetry;  ///< among those that are not held
  std::vector<std::string> shifts;        ///< sentences on shifts of recordings that errors include (carry_shifts)
  std::string failure;  ///< why errors of the initial state or placement are omitted; empty if they are included
};

/// All kinds of errors from the rows of a fit at θ, with the data's Jacobian J, R×P. A bound is active if the cost's
/// gradient,
///    g_k = ∂/∂θ_k (½ Σρ/τ² + ½|r_p|²) = J_kᵀψ/τ² + J_pkᵀr_p,
/// pushes θ_k out of it: for small changes of the recordings the value stays on the bound, so it is removed from the
/// covariance as known (as in the search). Its own errors are those of a fit without bounds, whose estimate lies beyond
/// the bound, which makes them rather too large than too small. `data_scale`: τ of the search.
BoundedErrors compute_bounded_errors(const ResolvedFit& fit, const Vector& theta, FitRows rows, double data_scale);

/// The interval of one value. Two-sided: the image of θ ± half width under the transform, clipped to the bounds. On a
/// bound: one-sided at the same confidence level, from there to θ ± t₁ · standard error.
void set_interval(const ParameterInfo& info, BoundSide side, double theta, const ParameterErrors& errors,
                  FittedParameter& p);

}  // namespace pithball::optim
