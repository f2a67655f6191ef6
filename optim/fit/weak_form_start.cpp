#include "optim/fit/weak_form_start.hpp"

#include <cmath>
#include <limits>

#include "optim/fit/resolved_fit.hpp"
#include "optim/weak_form/weak_form_estimate.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Infinite where it cannot be evaluated.
double cost_at(const Residual& residual, const Vector& theta) {
  Vector r;
  const double cost = residual.evaluate(theta, r, nullptr).ok() ? r.squaredNorm() / 2 : NAN;
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

}  // namespace

ChosenStart choose_start(const ResolvedFit& fit, const Residual& residual, const Vector& given) {
  const FitProblem& problem = fit.problem();
  if (!problem.search.weak_form_start || problem.search.solver == FitSolver::LevenbergMarquardt) return {given, ""};
  const WeakFormEstimate estimate = estimate_by_weak_form(fit.map(), problem.observations);
  const std::string at_given = "the search began at the given start: ";
  if (estimate.theta.size() == 0)
    return {given, at_given + "the weak form has no estimate, because " + estimate.missing};
  const double before = cost_at(residual, given), there = cost_at(residual, estimate.theta);
  if (!(there < before)) return {given, at_given + "its cost is lower than that of the weak form's estimate"};
  return {estimate.theta,
          formatted("the search began at values estimated from the recorded motion without a simulation (weak form, "
                    "windows of %lld frames): their cost is %.2g times that of the given start",
                    static_cast<long long>(2 * estimate.half_width + 3), there / before)};
}

}  // namespace pithball::optim
