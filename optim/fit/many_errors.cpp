#include "optim/fit/many_errors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/parameter_table.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/parameter/parameter_blocks.hpp"

namespace pithball::optim {
namespace {

/// Active bounds, as in bounded_errors.hpp: those that the gradient of the fit's cost pushes out of.
Evaluation find_held(const ManyValues& many, const std::vector<BoundSide>& sides, std::vector<bool>& held) {
  held.assign(sides.size(), false);
  if (std::ranges::all_of(sides, [](BoundSide side) { return side == BoundSide::None; })) return {};
  Vector gradient, of_priors;
  Evaluation evaluation = many.data.vjp(compute_scores(many).psi, gradient);
  if (evaluation.ok() && many.priors) {
    evaluation = many.priors->gradient(of_priors);
    if (evaluation.ok()) gradient += of_priors;
  }
  if (!evaluation.ok()) return evaluation;
  for (Index k = 0; k < gradient.size(); ++k)
    held[k] = (sides[k] == BoundSide::Lower && gradient[k] > 0) || (sides[k] == BoundSide::Upper && gradient[k] < 0);
  return {};
}

std::string say_count(Index count, const char* what) {
  return std::to_string(count) + (count == 1 ? " value " : " values ") + what;
}

std::vector<std::string> say_origins(const SampledErrors& errors) {
  std::vector<std::string> said;
  const auto add = [&](ErrorOrigin origin, const char* what) {
    const auto count = static_cast<Index>(std::ranges::count(errors.origin, origin));
    if (count > 0) said.push_back(say_count(count, what));
  };
  add(ErrorOrigin::Held, "on a bound: no standard errors, and those of the others assume that they are known");
  add(ErrorOrigin::Unfelt, "without any effect on the measured coordinates");
  add(ErrorOrigin::Null, "in directions that the data do not determine");
  add(ErrorOrigin::Unsettled,
      "whose standard errors did not converge with the number of samples, and are unknown: fit.exact_standard_errors "
      "computes them");
  return said;
}

ErrorReport report_many(const ResolvedFit& fit, const FitOptimum& optimum, const SampledErrors& errors) {
  ErrorReport report;
  report.frames = errors.robust.frames;
  report.autocorrelation = errors.robust.autocorrelation;
  report.mean_ratio = errors.robust.mean_ratio;
  report.by_mean_ratio = true;
  report.priors.determined_by_data = errors.determined_by_data;
  if (fit.problem().loss.kind != RobustLoss::Kind::None)
    report.loss_threshold = fit.problem().loss.threshold * optimum.scales.threshold;
  report.samples = error_samples;
  report.products = errors.products;
  for (Index k = 0; k < fit.map().size(); ++k)
    if (errors.origin[k] == ErrorOrigin::Solved) report.exact.push_back(fit.map().info()[k].name);
  return report;
}

}  // namespace

ManyErrors compute_many_errors(const ResolvedFit& fit, const FitOptimum& optimum) {
  const Vector& theta = optimum.end.theta;
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem& problem = fit.problem();
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  const EvaluationCounts before = trajectories.counts();
  std::unique_ptr<Linearization> data, priors;
  Evaluation evaluation = trajectories.linearize(theta, data);
  if (evaluation.ok() && fit.residual().has_priors())
    evaluation = fit.residual().priors().linearize_widths(theta, priors);
  const std::vector<BoundSide> sides = find_bounds(fit.map(), theta);
  ManyErrors many_errors{tabulate(fit.map(), theta), {}, {}, {}, {}};
  SampledErrors& errors = many_errors.errors;
  if (evaluation.ok()) {
    ManyValues many{*data,
                    priors.get(),
                    problem.loss,
                    find_row_order(problem.scenarios, problem.observations),
                    find_blocks(fit.map()),
                    {},
                    find_parameters(fit.map(), problem.uncertainty.exact_standard_errors, "exact_standard_errors")};
    many.loss.threshold *= optimum.scales.threshold;
    evaluation = find_held(many, sides, many.held);
    if (evaluation.ok()) errors = compute_sampled_errors(many, fit.map().names(), problem.uncertainty.options);
  }
  const EvaluationCounts& after = trajectories.counts();
  many_errors.evaluations.forward += after.forward - before.forward;
  many_errors.evaluations.tangent += after.tangent - before.tangent;
  many_errors.evaluations.adjoint += after.adjoint - before.adjoint;
  const std::string failure = evaluation.ok() ? errors.failure : evaluation.failure;
  if (!failure.empty()) {
    many_errors.notes.push_back("standard errors could not be computed: " + failure);
    errors = {};  // parts of them are no result
    return many_errors;
  }
  if (std::ranges::any_of(problem.value_errors, [](const auto& held) { return !held.empty(); }))
    many_errors.notes.push_back(
        "standard errors do not include that of the initial state or placement: there are more than " +
        std::to_string(problem.uncertainty.full_limit) + " parameters");
  many_errors.parameters = tabulate(fit.map(), theta, errors.parameters, sides);
  many_errors.report = report_many(fit, optimum, errors);
  std::ranges::move(say_origins(errors), std::back_inserter(many_errors.notes));
  many_errors.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return many_errors;
}

}  // namespace pithball::optim
