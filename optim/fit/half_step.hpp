#pragma once
#include "optim/fit/fit.hpp"
#include "optim/fit/settled_scales.hpp"

namespace pithball::optim {

/// How far the estimates would move if the step were halved, from one run at half of it:
///    Δθ = −H⁺ J ᵀ(ψ(r_{h/2}) − ψ(r_h))/τ²
/// (without loss and priors −J⁺(r_{h/2} − r_h)). The error of an integrator of order p is then 2^p/(2^p − 1) of that,
/// which Richardson's extrapolation takes away. A non-empty failure: the run at half the step could not be made.
struct HalfStepShift {
  Vector shift;         ///< Δθ, P; NaN of what is not identifiable
  double to_limit = 1;  ///< 2^p/(2^p − 1)
  double length = 0;    ///< |r_{h/2}|, before a loss
  std::string failure;
};

/// `rows`, `scores` and `posterior` are those of the fit at θ.
HalfStepShift compute_half_step(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                                const Posterior& posterior);

/// Δθ of a changed residual on the same rows: the formula alone.
Vector linear_shift(const FitRows& rows, const Scores& scores, const Posterior& posterior, const Vector& changed);

/// The search again at half the step, from where the fit ended.
struct HalvedFit {
  MinimizerStatus status = MinimizerStatus::Failed;
  Vector theta, estimates;  ///< estimates: physical values
  /// It did not go where the run at half the step points to, by more than 3 standard errors and more than the way
  /// itself: what it found is another minimum and says nothing of the step.
  bool another_minimum = false;
};
HalvedFit refit_at_half_step(const ResolvedFit& fit, const FitReport& report);

}  // namespace pithball::optim
