#pragma once
#include "optim/residual/residual.hpp"
#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Adds the uncertainty of held values (`FitProblem::value_errors`) to the errors of θ:
///    C ← C + G Gᵀ,   G = H⁺ (JᵀW J₀) Σ₀^½/τ²,   J₀ = ∂r/∂(held values),
/// with one adjoint for each parameter: to first order θ changes by −H⁺JᵀW J₀ δ/τ² if held values are wrong by δ (the
/// implicit function theorem on the gradient of the cost; without loss and priors τ²H = JᵀJ). The noise of held values
/// is assumed independent of the residuals. Values changed by θ are left out. Recordings are compared once more, with
/// the errors of the held values of each (`compare_recordings`). `rows`, `scores` and `errors`: those of
/// the fit at θ.
Evaluation carry_held_values(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                             AllErrors& errors);

}  // namespace pithball::optim
