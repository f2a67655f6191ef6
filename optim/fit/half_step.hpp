#pragma once
#include "optim/fit/report.hpp"
#include "optim/fit/settled_scales.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Change of the estimates if the time step were halved, from one run at half of it:
///    Δθ = −H⁺ J ᵀ(ψ(r_{h/2}) − ψ(r_h))/τ²
/// (without loss and priors −J⁺(r_{h/2} − r_h)). The error of an integrator of order p is 2^p/(2^p − 1) times that,
/// which Richardson extrapolation removes. A non-empty failure: the run at half the step failed.
struct HalfStepShift {
  Vector shift;         ///< Δθ, P; NaN for values that are not identifiable
  double to_limit = 1;  ///< 2^p/(2^p − 1)
  double length = 0;    ///< |r_{h/2}|, without a loss
  std::string failure;  ///< why the run failed, in a phrase; empty on success
};

/// `rows`, `scores` and `posterior` are those of the fit at θ.
HalfStepShift compute_half_step(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                                const Posterior& posterior);

/// Δθ for a change of the residual on the same rows: the formula alone.
Vector linear_shift(const FitRows& rows, const Scores& scores, const Posterior& posterior, const Vector& changed);

/// The search repeated at half the time step, from the end of the fit.
struct HalvedFit {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how the search ended
  Vector theta,                                      ///< at the end of that search, P
      estimates;                                     ///< the same as physical values
  /// Whether it deviates from the prediction of the run at half the step by more than 3 standard errors and more than
  /// the predicted change itself: it then found another minimum, which does not measure the effect of the step.
  bool another_minimum = false;
};
/// Repeats the search at half the time step, from the estimates of the fit.
HalvedFit refit_at_half_step(const ResolvedFit& fit, const FitReport& report);

}  // namespace pithball::optim
