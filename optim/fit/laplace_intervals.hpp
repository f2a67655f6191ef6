#pragma once
#include <optional>
#include <utility>

#include "optim/fit/bounded_errors.hpp"
#include "optim/parameter/prior.hpp"

namespace pithball::optim {

/// The `laplace` prior of a parameter; null if it has none.
const LaplacePrior* find_laplace_prior(const FitProblem& problem, const ParameterInfo& info);

/// Interval of a value with a Laplace prior, between the (1 ± confidence)/2 quantiles of the density
///    exp(−½ w (p − p̂)² + g (p − p̂) − √(z² + ε²)),   z = (p − value)/scale,
/// with the information w of everything else and the slope g that puts its maximum at the estimate p̂. Without other
/// information this is the interval of the prior, p̂ ± 3.0 scale at 95 %; with much, p̂ ± t/√w. `t`: quantile of
/// Student's t that replaces that of the normal distribution. Throws InvalidArgument unless w ≥ 0 and 0 < confidence <
/// 1.
std::pair<double, double> laplace_interval(const LaplacePrior& prior, double estimate, double w, double confidence,
                                           double t);

/// `laplace_interval` of value k, within its bounds; empty: it has no such prior, no errors, or lies on a bound. `p`:
/// its estimate and error.
std::optional<std::pair<double, double>> find_laplace_interval(const ResolvedFit& fit, const BoundedErrors& errors,
                                                               Index k, const FittedParameter& p);

}  // namespace pithball::optim
