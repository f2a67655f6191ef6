#pragma once
#include <optional>
#include <vector>

#include "optim/fit/fit.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/scale_symmetry.hpp"

namespace pithball::optim {

/// Which bound an entry of θ lies on.
enum class BoundSide { None, Lower, Upper };

/// P: by 1e-6 of θ's scale, since a bound may be missed by rounding.
std::vector<BoundSide> find_bounds(const ParameterMap& map, const Vector& theta);

/// Errors of a fit at θ, and what they rest on.
struct BoundedErrors {
  std::vector<BoundSide> sides;  ///< P
  std::vector<bool> held;        ///< P: active bounds; errors of all others take these values as known
  FitRows rows;                  ///< without derivatives in what is held
  Scores scores;
  AllErrors errors;
  std::optional<ScaleSymmetry> symmetry;  ///< among those that are not held
  std::string failure;                    ///< why errors of the start or placement are left out; empty: they are not
};

/// All kinds of errors from the rows of a fit at θ, J of the data R×P. A bound is active where the cost's gradient,
///    g_k = ∂/∂θ_k (½ Σρ/τ² + ½|r_p|²) = J_kᵀψ/τ² + J_pkᵀr_p,
/// pushes θ_k out of it: with small changes of the recordings the value stays where it is, so that it is taken out of
/// the covariance as known (as the search holds it). Its own errors are those of a fit without any bounds, whose
/// estimate lies beyond it: rather too large than too small. `data_scale`: τ of the search.
BoundedErrors compute_bounded_errors(const ResolvedFit& fit, const Vector& theta, FitRows rows, double data_scale);

/// The interval of one value. Two-sided, the image of θ ± half width under the transform, cut to what bounds allow; on
/// a bound one-sided, of the same confidence, from there to θ ± t₁ · standard error.
void set_interval(const ParameterInfo& info, BoundSide side, double theta, const ParameterErrors& errors,
                  FittedParameter& p);

}  // namespace pithball::optim
