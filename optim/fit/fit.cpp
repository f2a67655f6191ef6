#include "optim/fit/fit.hpp"

#include <chrono>
#include <limits>

#include "optim/fit/fit_optimum.hpp"
#include "optim/fit/judged_starts.hpp"
#include "optim/fit/parameter_table.hpp"
#include "optim/fit/report_parts.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/settled_scales.hpp"
#include "optim/verdict/misfit_causes.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::optim {
namespace {

FinalRun run_finally(const ResolvedFit& fit, const Vector& theta, const ShowStep& show, const MinimizerWatch& watch) {
  const FitProblem& problem = fit.problem();
  const bool with_derivatives = fit.has_full_errors();
  if (problem.start_fits.empty())
    return {run_whole(fit.residual().trajectories(), problem.observations, theta, with_derivatives, show), {}, {}};
  JudgedStarts judged = find_judged_starts(fit, theta, watch);
  const TrajectoryResidual residual(fit.map().with_scenarios(judged.scenarios), problem.observations);
  return {run_whole(residual, judged.observations, theta, with_derivatives, show), std::move(judged.found),
          std::move(judged.notes)};
}

/// From the whole Jacobian, which the final run has computed.
ThetaErrors compute_full_errors(const ResolvedFit& fit, const FitOptimum& optimum, const WholeRun& run) {
  ThetaErrors errors;
  FitRows rows;
  const Vector& theta = optimum.end.theta;
  const Evaluation evaluation =
      run.evaluation.ok() ? make_fit_rows(fit, theta, run.r, run.J, optimum.scales.threshold, rows) : run.evaluation;
  if (!evaluation.ok()) {
    errors.notes.push_back("standard errors could not be computed: " + evaluation.failure);
    return errors;
  }
  errors.full = compute_bounded_errors(fit, theta, std::move(rows), optimum.scales.data);
  if (!errors.full->failure.empty())
    errors.notes.push_back("standard errors do not include that of the initial state or placement: " +
                           errors.full->failure);
  return errors;
}

/// Errors of as many values as the problem asks for.
ThetaErrors compute_errors_of(const ResolvedFit& fit, const FitOptimum& optimum, const WholeRun& run) {
  if (fit.map().size() == 0 || fit.problem().uncertainty.full_limit == 0) return {};
  if (fit.has_full_errors()) return compute_full_errors(fit, optimum, run);
  return {{}, compute_many_errors(fit, optimum), {}};
}

/// What needs full errors: intervals, side by side with the run at half the time step.
void refine(ReportParts& parts, const MinimizerWatch& watch) {
  const BoundedErrors& errors = *parts.errors.full;
  const FitProblem& problem = parts.fit.problem();
  constexpr double much = std::numeric_limits<double>::infinity();  // of work: each is a run at least
  sim::parallel_for(2, much, [&](Index k) {
    if (k == 0)
      parts.intervals = choose_intervals({parts.fit, parts.optimum, errors, parts.statistics.quality, watch.silent()});
    else
      parts.halved =
          compute_half_step(parts.fit, parts.optimum.end.theta, errors.rows, errors.scores, errors.errors.posterior);
  });
  parts.growth = compute_sensitivity_growth(problem.scenarios, problem.observations,
                                            of_the_body(parts.fit.map(), parts.last.run.J));
  parts.minima = compare_minima(parts.fit, parts.optimum, parts.last.run, errors.errors, watch);
}

/// Why the model does not fit, or not well.
std::vector<MisfitCause> find_causes(const ReportParts& parts) {
  const FitQuality& quality = parts.statistics.quality;
  if (!quality.calls_for_causes()) return {};
  const FitProblem& problem = parts.fit.problem();
  const double half_step_length =
      parts.halved ? parts.halved->length : length_at_half_step(parts.fit, parts.optimum.end.theta);
  return find_misfit_causes(quality, {problem.scenarios, problem.observations, parts.fit.map(),
                                      static_cast<int>(problem.search.starts.count), half_step_length});
}

/// Everything that follows from a run of all recordings at the optimum.
void evaluate(const ShowStep& show, const MinimizerWatch& watch, ReportParts& parts) {
  const ResolvedFit& fit = parts.fit;
  const Vector& theta = parts.optimum.end.theta;
  parts.last = run_finally(fit, theta, show, watch);
  parts.errors = compute_errors_of(fit, parts.optimum, parts.last.run);
  const std::optional<BoundedErrors>& full = parts.errors.full;
  parts.statistics =
      compute_residual_statistics(fit, parts.last.run, parts.optimum.scales,
                                  full ? full->errors.posterior.formal.spectrum.weak_directions.size() : 0);
  if (full) refine(parts, watch);
  if (!fit.has_full_errors()) parts.minima = compare_costs(parts.optimum);
  if (parts.errors.sampled)
    parts.intervals.parameters = with_identifiability(fit.map(), parts.errors.sampled->parameters);
  if (parts.last.run.evaluation.ok() && parts.last.run.r.size() > 0) parts.causes = find_causes(parts);
}

}  // namespace

FitReport fit(const FitProblem& problem, const SearchWatch& watch) { return fit(ResolvedFit(problem), {}, watch); }

FitReport fit(const ResolvedFit& resolved, const ShowStep& show, const SearchWatch& watch) {
  const auto begin = std::chrono::steady_clock::now();
  ReportParts parts{resolved, find_optimum(resolved, watch)};
  parts.intervals.parameters = tabulate(resolved.map(), parts.optimum.end.theta);  // until there are errors
  if (parts.optimum.end.status != MinimizerStatus::Failed) evaluate(show, watch.minimizer, parts);
  FitReport report = make_report(std::move(parts));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace pithball::optim
