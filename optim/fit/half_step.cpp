#include "optim/fit/half_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/fit/search.hpp"
#include "sim/core/dividing_step.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Distance, in standard errors, beyond which a minimum counts as another one.
constexpr double other_place = 3;
/// Change of an estimate at half the step, in standard errors, from which on it is said.
constexpr double worth_saying = 0.3;

/// Returns the lowest order of accuracy of the positions over all recordings.
int order_of(const FitProblem& problem) {
  int order = std::numeric_limits<int>::max();
  for (const diff::Scenario& scenario : problem.scenarios)
    order = std::min(order, scenario.integrator.info().position_order);
  return std::max(1, order);
}

/// Runs all recordings at half the time step and computes their residuals r.
HalfStepShift run_at_half_step(const ResolvedFit& fit, const Vector& theta, Vector& r) {
  HalfStepShift halved;
  const FitProblem fine = with_halved_step(fit.problem());
  halved.failure = TrajectoryResidual(fit.map_of(fine), fine.observations).evaluate(theta, r, nullptr).failure;
  if (halved.failure.empty()) halved.length = r.norm();
  return halved;
}

/// What priors change of the shift after a step d of θ: −H⁻¹ J_pᵀ J_p d.
Vector shift_by_priors(const FitRows& rows, const Scores& scores, const Posterior& posterior, const Vector& d) {
  if (rows.prior_J.rows() == 0) return Vector::Zero(d.size());
  return -FitCurvature(rows, scores, posterior).solve(rows.prior_J.transpose() * (rows.prior_J * d));
}

/// Returns the largest change in standard errors of θ; 0 if none is known.
double largest_in_errors(const Vector& shift, const Vector& error) {
  double largest = 0;
  for (Index k = 0; k < shift.size(); ++k)
    if (error[k] > 0 && std::isfinite(shift[k])) largest = std::max(largest, std::abs(shift[k]) / error[k]);
  return largest;
}

}  // namespace

double extrapolation_from_half_step(const FitProblem& problem) {
  const double power = std::exp2(order_of(problem));
  return power / (power - 1);
}

Vector linear_shift(const FitRows& rows, const Scores& scores, const Posterior& posterior, const Vector& changed) {
  const FitCurvature H(rows, scores, posterior);
  const Index P = rows.parameters();
  if (!H.ok()) return Vector::Constant(P, std::numeric_limits<double>::quiet_NaN());
  FitRows other = rows;
  other.r = changed;
  const Vector difference = compute_scores(other).psi - scores.psi;
  Vector shift = -H.solve(rows.J.transpose() * difference) / (posterior.data_scale * posterior.data_scale);
  for (Index k = 0; k < P; ++k)
    if (!posterior.formal.identifiable[k]) shift[k] = std::numeric_limits<double>::quiet_NaN();
  return shift;
}

HalfStepShift compute_half_step(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                                const Posterior& posterior) {
  Vector r;
  HalfStepShift halved = run_at_half_step(fit, theta, r);
  if (!halved.failure.empty()) return halved;
  halved.shift = linear_shift(rows, scores, posterior, r);
  halved.to_limit = extrapolation_from_half_step(fit.problem());
  const Vector error = posterior.formal.covariance.diagonal().cwiseSqrt();
  const double expected = largest_in_errors(halved.shift, error);
  if (!(expected > worth_saying)) return halved;
  const Vector there = (theta + halved.shift.unaryExpr([](double d) { return std::isfinite(d) ? d : 0; }))
                           .cwiseMax(fit.map().lower())
                           .cwiseMin(fit.map().upper());
  const Vector way = there - theta;  // bounds may cut it short
  const HalfStepShift trial = run_at_half_step(fit, there, r);
  halved.leads_there = trial.failure.empty() &&
                       largest_in_errors(linear_shift(rows, scores, posterior, r) +
                                             shift_by_priors(rows, scores, posterior, way) - (halved.shift - way),
                                         error) < expected / 2;
  if (!halved.leads_there) halved.shift.setConstant(std::numeric_limits<double>::quiet_NaN());
  return halved;
}

StepEffects effects_of(const HalfStepShift& halved, const ParameterMap& map, const Vector& theta,
                       const std::vector<ParameterErrors>& errors) {
  StepEffects effects;
  const Vector estimate = map.physical(theta);
  for (Index k = 0; k < map.size(); ++k) {
    const Transform& transform = map.info()[k].transform;
    effects.in_standard_errors.push_back(halved.shift[k] / errors[k].standard_error);
    const double way = halved.to_limit * halved.shift[k];
    // Linear in p where the logarithm changes too much: near 0, and if the shift is a large part of the value.
    constexpr double small_change = 0.3;
    const bool is_log = transform.kind() == Transform::Kind::Log;
    effects.extrapolated.push_back(is_log && std::abs(way) > small_change
                                       ? std::max(0.0, estimate[k] + transform.derivative(theta[k]) * way)
                                       : transform.value(theta[k] + way));
  }
  return effects;
}

namespace {

/// The identifiable values that halving the time step would change by more than `least` standard errors.
std::vector<const FittedParameter*> find_moved(const std::vector<FittedParameter>& table, double least) {
  std::vector<const FittedParameter*> moved;
  for (const FittedParameter& p : table)
    if (p.identifiable && !p.scope.is_nuisance && std::abs(p.half_step.shift) > least &&
        std::isfinite(p.half_step.shift))
      moved.push_back(&p);
  return moved;
}

const FittedParameter& find_most_moved(const std::vector<const FittedParameter*>& moved) {
  return **std::ranges::max_element(moved, {}, [](const FittedParameter* p) { return std::abs(p->half_step.shift); });
}

/// What to write so that this value is moved by less than is worth saying.
std::string step_remedy(const FittedParameter& most, const FitProblem& problem) {
  double step = 0;
  for (const diff::Scenario& scenario : problem.scenarios) step = std::max(step, scenario.time_step);
  const double halvings = std::ceil(std::log2(std::abs(most.half_step.shift) / worth_saying) / order_of(problem));
  // A change by halving the step is at least half of the error (p = 1), so that one halving more covers all of it.
  step = sim::dividing_step(step, step * std::exp2(-halvings - 1));
  return formatted("write simulation.time_step: %.9g s", step);
}

}  // namespace

std::optional<sim::Doubt> doubt_step_effects(const std::vector<FittedParameter>& table, const FitProblem& problem) {
  const std::vector<const FittedParameter*> moved = find_moved(table, most_standard_errors);
  if (moved.empty()) return {};
  const FittedParameter& most = find_most_moved(moved);
  const std::string others = moved.size() > 1 ? formatted(", and %zu more", moved.size() - 1) : std::string();
  return sim::Doubt{"halving the time step would change " + most.name +
                        formatted(" by %.2g standard errors", std::abs(most.half_step.shift)) + others,
                    step_remedy(most, problem)};
}

std::vector<std::string> say_step_effects(const std::vector<FittedParameter>& table, const FitProblem& problem) {
  constexpr std::size_t told_one_by_one = 3;
  const std::vector<const FittedParameter*> moved = find_moved(table, worth_saying);
  if (moved.empty()) return {};
  const FittedParameter& most = find_most_moved(moved);
  const std::string remedy = step_remedy(most, problem);
  std::vector<std::string> said;
  if (moved.size() > told_one_by_one)
    return {formatted("with half the time step %zu estimates would change by more than %g standard errors, %s most, by "
                      "%.2g (fit.json has them extrapolated to a time step of zero): ",
                      moved.size(), worth_saying, most.name.c_str(), most.half_step.shift) +
            remedy};
  for (const FittedParameter* p : moved)
    said.push_back(p->name +
                   formatted(": with half the time step the estimate would change by %.2g standard errors; "
                             "extrapolated to a time step of zero, it is %.6g instead of %.6g: ",
                             p->half_step.shift, p->half_step.extrapolated, p->estimate) +
                   remedy);
  return said;
}

double length_at_half_step(const ResolvedFit& fit, const Vector& theta) {
  Vector r;
  return run_at_half_step(fit, theta, r).length;
}

namespace {

/// Whether the search ended far from the estimates that the run at half the time step predicts.
bool is_another_minimum(const FitReport& report, const Vector& theta) {
  if (report.half_step.size() != theta.size()) return false;
  // Each value is compared with its own formal error, since a covariance of many values may be nearly singular.
  for (Index k = 0; k < theta.size(); ++k) {
    if (std::isfinite(report.estimates.parameters[k].interval.upper_limit)) continue;  // values below it are equivalent
    const double error = report.theta_error[k];
    if (!std::isfinite(error)) continue;
    const double expected = std::isfinite(report.half_step[k]) ? report.half_step[k] : 0;  // 0: nothing is expected
    const double missed = std::abs(theta[k] - report.theta[k] - expected);
    if (missed > other_place * error && missed > std::abs(expected)) return true;
  }
  return false;
}

}  // namespace

HalvedSearch refit_at_half_step(const ResolvedFit& fit, const FitReport& report, const MinimizerWatch& watch) {
  const FitProblem fine = with_halved_step(with_scales(fit.problem(), report.scales));
  EvaluationCounts counts;
  const ParameterMap map = fit.map_of(fine);
  const MinimizerReport found = search_from(fine, map, report.theta, counts, watch);
  const bool has_failed = found.status == MinimizerStatus::Failed;
  HalvedStep halved{found.status, {}, !has_failed && is_another_minimum(report, found.theta)};
  const Vector estimates = map.physical(found.theta);
  for (Index k = 0; k < map.size(); ++k) {
    const FittedParameter& coarse = report.estimates.parameters[k];
    // The errors of values that are not identifiable cannot be compared.
    const bool is_known = coarse.identifiable && std::isfinite(coarse.standard_error);
    halved.parameters.push_back({coarse.name, estimates[k],
                                 is_known ? std::abs(estimates[k] - coarse.estimate) / coarse.standard_error
                                          : std::numeric_limits<double>::quiet_NaN()});
  }
  return {std::move(halved), found.theta};
}

}  // namespace pithball::optim
