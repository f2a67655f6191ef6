#include "optim/fit/many_errors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/parameter_table.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/parameter/parameter_blocks.hpp"

namespace pithball::optim {
namespace {

/// Active bounds, as in bounded_errors.hpp: those that the gradient of the fit's cost pushes out of.
Evaluation find_held(const ResolvedFit& fit, const Vector& theta, const ManyValues& many,
                     const std::vector<BoundSide>& sides, double threshold_scale, std::vector<bool>& held) {
  held.assign(sides.size(), false);
  if (std::ranges::all_of(sides, [](BoundSide side) { return side == BoundSide::None; })) return {};
  FitRows rows;
  rows.r = many.data.residual();
  rows.J.resize(rows.r.size(), 0);
  rows.loss = fit.problem().loss;
  rows.loss.threshold *= threshold_scale;
  rows.order = many.order;
  Vector gradient, of_priors;
  Evaluation evaluation = many.data.vjp(compute_scores(rows).psi, gradient);
  if (evaluation.ok() && many.priors) {
    evaluation = many.priors->gradient(of_priors);
    if (evaluation.ok()) gradient += of_priors;
  }
  if (!evaluation.ok()) return evaluation;
  for (Index k = 0; k < theta.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    held[i] = (sides[i] == BoundSide::Lower && gradient[k] > 0) || (sides[i] == BoundSide::Upper && gradient[k] < 0);
  }
  return {};
}

std::string say_count(Index count, const char* what) {
  return std::to_string(count) + (count == 1 ? " value " : " values ") + what;
}

void note_origins(const SampledErrors& errors, FitReport& report) {
  const auto count = [&](ErrorOrigin origin) { return static_cast<Index>(std::ranges::count(errors.origin, origin)); };
  if (const Index held = count(ErrorOrigin::Held); held > 0)
    report.notes.push_back(
        say_count(held, "on a bound: no standard errors, and those of the others assume that they are known"));
  if (const Index unfelt = count(ErrorOrigin::Unfelt); unfelt > 0)
    report.notes.push_back(say_count(unfelt, "without any effect on the measured coordinates"));
  if (const Index null = count(ErrorOrigin::Null); null > 0)
    report.notes.push_back(say_count(null, "in directions that the data do not determine"));
  if (const Index unsettled = count(ErrorOrigin::Unsettled); unsettled > 0)
    report.notes.push_back(say_count(unsettled,
                                     "whose standard errors did not converge with the number of samples, and are "
                                     "unknown: fit.exact_standard_errors computes them"));
}

void report_many(const ResolvedFit& fit, const SampledErrors& errors, const std::vector<BoundSide>& sides,
                 FitReport& report) {
  const ParameterMap& map = fit.map();
  report.theta_error = errors.formal;
  report.residual_scale = errors.s;
  report.degrees_of_freedom = errors.degrees_of_freedom;
  report.errors.frames = errors.robust.frames;
  report.errors.autocorrelation = errors.robust.autocorrelation;
  report.errors.mean_ratio = errors.robust.mean_ratio;
  report.errors.by_mean_ratio = true;
  report.errors.determined_by_data = errors.determined_by_data;
  if (fit.problem().loss.kind != RobustLoss::Kind::None)
    report.errors.loss_threshold = fit.problem().loss.threshold * report.scales.threshold;
  report.errors.samples = error_samples;
  report.errors.products = errors.products;
  fill_parameters(map, report.theta, errors.parameters, sides, report.parameters);
  for (Index k = 0; k < map.size(); ++k)
    if (errors.origin[k] == ErrorOrigin::Solved) report.errors.exact.push_back(map.info()[k].name);
  note_origins(errors, report);
}

}  // namespace

void judge_many(const ResolvedFit& fit, FitReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem& problem = fit.problem();
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  const EvaluationCounts before = trajectories.counts();
  std::unique_ptr<Linearization> data, priors;
  Evaluation evaluation = trajectories.linearize(report.theta, data);
  if (evaluation.ok() && fit.residual().has_priors())
    evaluation = fit.residual().priors().linearize_widths(report.theta, priors);
  const std::vector<BoundSide> sides = find_bounds(fit.map(), report.theta);
  SampledErrors errors;
  if (evaluation.ok()) {
    ManyValues many{*data,
                    priors.get(),
                    problem.loss,
                    find_row_order(problem.scenarios, problem.observations),
                    find_blocks(fit.map()),
                    {},
                    find_parameters(fit.map(), problem.exact_standard_errors, "exact_standard_errors")};
    many.loss.threshold *= report.scales.threshold;
    evaluation = find_held(fit, report.theta, many, sides, report.scales.threshold, many.held);
    if (evaluation.ok()) errors = compute_sampled_errors(many, fit.map().names(), problem.uncertainty);
  }
  const EvaluationCounts& after = trajectories.counts();
  report.evaluations.forward += after.forward - before.forward;
  report.evaluations.tangent += after.tangent - before.tangent;
  report.evaluations.adjoint += after.adjoint - before.adjoint;
  const std::string& failure = evaluation.ok() ? errors.failure : evaluation.failure;
  if (!failure.empty()) {
    report.notes.push_back("standard errors could not be computed: " + failure);
    return;
  }
  if (std::ranges::any_of(problem.value_errors, [](const auto& held) { return !held.empty(); }))
    report.notes.push_back(
        "standard errors do not include that of the initial state or placement: there are more than " +
        std::to_string(problem.uncertainty_limit) + " parameters");
  report_many(fit, errors, sides, report);
  report.errors.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace pithball::optim
