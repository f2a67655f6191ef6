#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/report.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "sim/core/doubt.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Change of the estimates if the time step were halved, from one run at half of it:
///    Δθ = −H⁺ J ᵀ(ψ(r_{h/2}) − ψ(r_h))/τ²
/// (without loss and priors −J⁺(r_{h/2} − r_h)). The error of an integrator of order p is 2^p/(2^p − 1) times that,
/// which Richardson extrapolation removes. A non-empty failure: the run at half the step failed.
///
/// A change above 0.3 standard errors is tried: from a second run at half the step, at θ + Δθ, the same formula, with
/// −H⁺J_pᵀJ_p Δθ of the priors, must give less than half of it beyond what bounds cut off. Where it does not, as in a
/// motion that amplifies differences, Δθ says nothing of the estimates at half the step and is NaN.
struct HalfStepShift {
  Vector shift;  ///< Δθ, P; NaN for values that are not identifiable, and for all where it did not pass its trial
  bool leads_there = true;                                   ///< false: it did not pass its trial
  double to_limit = 1;                                       ///< 2^p/(2^p − 1)
  double length = std::numeric_limits<double>::quiet_NaN();  ///< |r_{h/2}|, without a loss; NaN: the run failed
  std::string failure;                                       ///< why the run failed, in a phrase; empty on success
};

/// The effect of halving the time step on each value, P.
struct StepEffects {
  std::vector<double> in_standard_errors;  ///< change of the estimate at half the step, in standard errors
  std::vector<double> extrapolated;        ///< physical value without the integration error
};

/// From the change of θ, and the standard errors of θ.
StepEffects effects_of(const HalfStepShift& halved, const ParameterMap& map, const Vector& theta,
                       const std::vector<ParameterErrors>& errors);

/// Sentences on values whose interval does not contain the whole error of the time step: above 0.3 standard errors, one
/// for each of up to three values, else one for all; with the step of `problem` divided by a whole number at which the
/// largest error would be below that. `table`: with these effects.
std::vector<std::string> say_step_effects(const std::vector<FittedParameter>& table, const FitProblem& problem);

/// The doubt about estimates that halving the time step would change by more than 2 standard errors, beyond the
/// intervals; empty: there are none. `table`: with these effects.
std::optional<sim::Doubt> doubt_step_effects(const std::vector<FittedParameter>& table, const FitProblem& problem);

/// `rows`, `scores` and `posterior` are those of the fit at θ.
HalfStepShift compute_half_step(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                                const Posterior& posterior);

/// 2^p/(2^p − 1) for the lowest order p of the positions over all recordings: the factor between the error of the time
/// step h and the change caused by halving it.
double extrapolation_from_half_step(const FitProblem& problem);

/// Δθ for a change of the residual on the same rows: the formula alone.
Vector linear_shift(const FitRows& rows, const Scores& scores, const Posterior& posterior, const Vector& changed);

/// Length of the residuals of all recordings at half the time step; NaN where it cannot be run.
double length_at_half_step(const ResolvedFit& fit, const Vector& theta);

/// A search at half the time step.
struct HalvedSearch {
  HalvedStep step;  ///< what it says about the fit
  Vector theta;     ///< where it ended, P
};

/// Repeats the search at half the time step, from the estimates of the fit.
HalvedSearch refit_at_half_step(const ResolvedFit& fit, const FitReport& report, const MinimizerWatch& watch = {});

}  // namespace pithball::optim
