#include "optim/diagnosis/step_error.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit/half_step.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "sim/core/dividing_step.hpp"

namespace pithball::optim {
namespace {

/// Residuals at θ with the error of the step changed by β G.
Evaluation run_at_step(const ResolvedFit& fit, const Vector& theta, const Vector& change, Vector& r) {
  const Evaluation evaluation = fit.residual().trajectories().evaluate(theta, r, nullptr);
  if (evaluation.ok()) r += change;
  return evaluation;
}

}  // namespace

std::optional<CandidateEffect> find_step_error(const ResolvedFit& fit, const FittedEnd& end) {
  const FitProblem fine = with_halved_step(fit.problem());
  Vector r, at_half;
  if (!fit.residual().trajectories().evaluate(end.theta, r, nullptr).ok()) return {};
  if (!TrajectoryResidual(fit.map_of(fine), fine.observations).evaluate(end.theta, at_half, nullptr).ok()) return {};
  const double step = end.scenarios.front().time_step;
  const Vector column = extrapolation_from_half_step(fit.problem()) * (r - at_half) / step;
  if (column.isZero(0) || !column.allFinite()) return {};
  CandidateEffect effect;
  effect.candidate.name = effect.candidate.value = "time_step";
  effect.candidate.unit = "s";
  effect.candidate.held = Vector::Constant(1, step);
  effect.candidate.concern = Concern::Computation;
  effect.G = column.sparseView();
  effect.run = [&fit, column](const Vector& theta, const Vector& beta, Vector& run) {
    return run_at_step(fit, theta, column * beta[0], run);
  };
  return effect;
}

bool agrees_with_step(const Candidate& candidate, const ScoreTest& test) {
  if (test.shift.size() == 0) return false;
  const double step = candidate.held[0];
  constexpr double standard_errors = 3;
  return std::abs(test.shift[0] + step) <= std::max(step / 2, standard_errors * test.error[0]);
}

double sufficient_step(const ScoreTest& test, const diff::Scenario& scenario) {
  const int order = std::max(1, scenario.integrator.info().position_order);
  const double parts = std::pow(test.gain / test.unit, 0.5 / order);  // χ² grows as h to the power 2p
  return sim::dividing_step(scenario.time_step, scenario.time_step / std::max(2.0, parts));
}

}  // namespace pithball::optim
