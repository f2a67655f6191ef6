#pragma once
#include "optim/residual/residual.hpp"
#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Adds to the errors of θ what errors of the values that the fit holds (`FitProblem::value_errors`) bring:
///    C ← C + G Gᵀ,   G = H⁺ (JᵀW J₀) Σ₀^½/τ²,   J₀ = ∂r/∂(held values),
/// by one adjoint for each parameter: to first order θ moves by −H⁺JᵀW J₀ δ/τ² where held values are wrong by δ (the
/// implicit function theorem on the gradient of the cost; without loss and priors τ²H = JᵀJ). The held values' noise
/// is taken to be independent of the residuals'. Values that θ moves are left out. `rows`, `scores` and `errors` are
/// those of the fit at θ.
Evaluation carry_held_values(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                             AllErrors& errors);

}  // namespace pithball::optim
