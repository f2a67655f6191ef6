#include "optim/fit.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "diff/check/gradient_doubts.hpp"
#include "optim/diagnosis/misfit_diagnosis.hpp"
#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/checked_intervals.hpp"
#include "optim/fit/depth_reversal.hpp"
#include "optim/fit/fit_optimum.hpp"
#include "optim/fit/fit_prior.hpp"
#include "optim/fit/further_starts.hpp"
#include "optim/fit/held_budget.hpp"
#include "optim/fit/judged_starts.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/report_parts.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/verdict/misfit_causes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/stop.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Whether the search cost no more than the evaluations with derivatives that would follow it.
bool is_cheap(const SearchEnd& end) {
  constexpr long few_evaluations = 4;
  return end.evaluations.tangent + end.evaluations.adjoint < few_evaluations;
}

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

/// Computes the errors from the whole Jacobian of the final run.
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
  errors.notes.insert(errors.notes.end(), errors.full->shifts.begin(), errors.full->shifts.end());
  return errors;
}

/// Computes errors from the whole Jacobian, from samples, or not at all, depending on the number of values and the
/// problem's limit.
ThetaErrors compute_errors_of(const ResolvedFit& fit, const FitOptimum& optimum, const WholeRun& run) {
  if (fit.map().size() == 0 || fit.problem().uncertainty.full_limit == 0) return {};
  if (fit.has_full_errors()) return compute_full_errors(fit, optimum, run);
  return {{}, compute_many_errors(fit, optimum), {}};
}

/// Computes the effects of the values that the fit treats as exact. Costs about one evaluation with derivatives, and is
/// omitted if the search took fewer than four times that.
HeldBudget find_held_budget(const ReportParts& parts) {
  const SearchEnd& end = parts.optimum.end;
  const FitQuality& quality = parts.statistics.quality;
  if (end.status != MinimizerStatus::Converged || !quality.fits()) return {};
  if (is_cheap(end)) return {};
  return compute_held_budget(parts.fit, end.theta, *parts.errors.full, parts.last.run, quality.recordings);
}

/// Computes the parts that need full errors: intervals, in parallel with the run at half the time step.
void refine(ReportParts& parts, const MinimizerWatch& watch) {
  const BoundedErrors& errors = *parts.errors.full;
  const FitProblem& problem = parts.fit.problem();
  constexpr double much = std::numeric_limits<double>::infinity();  // work per item, which takes at least one run
  sim::parallel_for(3, much, [&](Index k) {
    if (k == 0)
      parts.intervals = choose_intervals({parts.fit, parts.optimum, errors, parts.statistics.quality, watch.silent()});
    else if (k == 1)
      parts.held = find_held_budget(parts);
    else
      parts.halved =
          compute_half_step(parts.fit, parts.optimum.end.theta, errors.rows, errors.scores, errors.errors.posterior);
  });
  parts.growth = compute_sensitivity_growth(problem.scenarios, problem.observations,
                                            of_the_body(parts.fit.map(), parts.last.run.J));
  parts.minima = compare_minima(parts.fit, parts.optimum, parts.last.run, errors.errors, watch);
}

/// Compares estimates along the recordings if the residuals are not those of independent noise.
BlockAgreement compare_estimates(const ReportParts& parts) {
  const FitQuality& quality = parts.statistics.quality;
  if (!parts.errors.full || !(quality.is_correlated || quality.is_above())) return {};
  const BoundedErrors& full = *parts.errors.full;
  return compare_blocks(full.rows, full.scores, full.errors.posterior);
}

/// Returns possible causes if the model does not fit, or not well.
std::vector<MisfitCause> find_causes(const ReportParts& parts) {
  const FitQuality& quality = parts.statistics.quality;
  if (!quality.calls_for_causes()) return {};
  const FitProblem& problem = parts.fit.problem();
  const double half_step_length =
      parts.halved ? parts.halved->length : length_at_half_step(parts.fit, parts.optimum.end.theta);
  return find_misfit_causes(
      quality, {problem.scenarios, problem.observations, parts.fit.map(), static_cast<int>(problem.search.starts.count),
                parts.optimum.has_searched_further, half_step_length, parts.last.run.tracks});
}

/// The watchers of a fit.
struct FitWatch {
  const ShowStep& show;
  const MinimizerWatch& minimizer;
};

/// Whether the residuals are within the sigma given in the file.
bool are_within_sigma(const ReportParts& parts) {
  return parts.statistics.quality.reduced() < 1 &&
         std::ranges::all_of(parts.fit.problem().observations, [](const Observation& observation) {
           return observation.noise.origin == SigmaOrigin::Written;
         });
}

/// Returns what the model or the file may lack. Nothing is tested where residuals are below a written sigma by more
/// than chance, or correlated and below it: errors are then larger than they. Single elements are tested where χ² is
/// above chance or residuals are correlated, since residuals that look like noise rarely hide one.
SuspectSearch find_suspect_of(const ReportParts& parts) {
  const FitQuality& quality = parts.statistics.quality;
  const SearchEnd& end = parts.optimum.end;
  if (!parts.errors.full || end.status != MinimizerStatus::Converged) return {};
  if (shows_no_scatter(parts.fit.problem(), parts.errors.full->errors.posterior.data_scale)) return {};
  if (!quality.fits() || quality.is_below()) return {};
  if (quality.is_correlated && !quality.is_above() && are_within_sigma(parts)) return {};
  const bool is_suspicious = quality.is_above() || quality.is_correlated;
  try {
    return find_suspect(parts.fit, end.theta, *parts.errors.full,
                        is_suspicious ? TestedElements::Few : TestedElements::None);
  } catch (const InvalidArgument& error) {  // a candidate that this model does not allow is no reason to lose the fit
    return {.untested = error.what()};
  }
}

/// Returns the parts that follow from the optimum alone.
ReportParts begin_parts(const ResolvedFit& fit, FitOptimum optimum) {
  ReportParts parts{fit, std::move(optimum)};
  parts.intervals.parameters = tabulate(fit.map(), parts.optimum.end.theta);  // until there are errors
  return parts;
}

/// Whether nothing more is evaluated at the optimum: the search failed or was stopped.
bool is_over(const FitOptimum& optimum) {
  return optimum.end.status == MinimizerStatus::Failed || optimum.end.status == MinimizerStatus::Stopped;
}

/// Runs all recordings at the optimum, and computes the results that need no further runs.
ReportParts look_at(const ResolvedFit& fit, FitOptimum optimum, const FitWatch& watch) {
  ReportParts parts = begin_parts(fit, std::move(optimum));
  const Vector& theta = parts.optimum.end.theta;
  MotionMeter meter(fit.problem());
  parts.last = run_finally(fit, theta, meter.watching(watch.show), watch.minimizer);
  parts.motion = find_motion_aliases(fit.problem().observations, meter.frequencies());
  parts.errors = compute_errors_of(fit, parts.optimum, parts.last.run);
  const std::optional<BoundedErrors>& full = parts.errors.full;
  parts.statistics =
      compute_residual_statistics(fit, parts.last.run, parts.optimum.scales,
                                  full ? full->errors.posterior.formal.spectrum.weak_directions.size() : 0);
  return parts;
}

/// Computes everything else at the optimum but the suspect, which is looked for at the last one only.
void complete(ReportParts& parts, const FitWatch& watch) {
  const ResolvedFit& fit = parts.fit;
  if (fit.map().size() > 0)
    parts.last.gradients = diff::find_gradient_doubts(fit.map().scatter(parts.optimum.end.theta));
  if (parts.errors.full) refine(parts, watch.minimizer);
  if (!fit.has_full_errors()) parts.minima = compare_costs(parts.optimum);
  if (parts.errors.sampled)
    parts.intervals.parameters = with_identifiability(fit.map(), parts.errors.sampled->parameters);
  if (!parts.last.run.evaluation.ok() || parts.last.run.r.size() == 0) return;
  parts.clues = {find_causes(parts), compare_estimates(parts), {}};
}

/// Whether further starts may be tried.
bool allows_starts(const ReportParts& parts, const MinimizerWatch& watch) {
  const SearchStrategy& by = parts.fit.problem().search;
  return by.further_starts && by.starts.count <= 1 && minimizers().at(by.solver).uses_jacobian && parts.errors.full &&
         !watch.is_stopped();
}

/// Whether and why further starts are tried.
FurtherCall call_for_starts(const ReportParts& parts, const MinimizerWatch& watch) {
  if (!allows_starts(parts, watch)) return {};
  const FitQuality& quality = parts.statistics.quality;
  if (std::string off = quality.excess(); !off.empty())
    return {true, std::move(off), quality.is_comparable ? large_excess * static_cast<double>(quality.degrees) : 0};
  return {false, parts.motion.are_possible() ? parts.motion.sentence() : "", 0};
}

/// Returns the optimum after further searches.
FitOptimum search_on(const ReportParts& parts, const FurtherCall& call, const MinimizerWatch& watch) {
  FurtherSearch further =
      search_further({parts.fit, parts.optimum, parts.last.run.r, parts.motion, call.is_off}, call, watch);
  FitOptimum optimum = with_ends(parts.fit, parts.optimum, std::move(further.ends), further.evaluations, watch);
  optimum.summary.push_back(std::move(further.sentence));
  optimum.has_searched_further = true;
  optimum.has_all_aliases = further.has_all_aliases;
  return optimum;
}

/// Returns the optimum after a search from the estimates with their depth reversed, where a camera leaves that open and
/// it was not tried before. From a fit that is off, what is found says nothing of a better one, and is tried once more.
FitOptimum search_reversed_on(const ReportParts& parts, bool is_off, const MinimizerWatch& watch) {
  FurtherSearch other =
      search_reversed({parts.fit, parts.optimum, parts.last.run.r, parts.motion}, parts.optimum.reversed, watch);
  FitOptimum optimum = with_ends(parts.fit, parts.optimum, std::move(other.ends), other.evaluations, watch);
  if (other.reversed >= 0 && !is_off) optimum.reversed.push_back(other.reversed);
  if (!other.sentence.empty() && optimum.end.theta != parts.optimum.end.theta)
    optimum.summary.push_back(std::move(other.sentence));
  return optimum;
}

/// Returns the optimum after a search from another point, which `found_by` describes; the present optimum if the search
/// finds none better.
FitOptimum continue_from(const ReportParts& parts, const Vector& theta, const std::string& found_by,
                         const MinimizerWatch& watch) {
  EvaluationCounts counts;
  FoundMinimum end{0, search_from(parts.fit.problem(), parts.fit.map(), theta, counts, watch),
                   parts.optimum.search.stages.back().minima.front().is_reversal};
  FitOptimum optimum = with_ends(parts.fit, parts.optimum, {std::move(end)}, counts, watch);
  optimum.end.evaluations += parts.intervals.evaluations;
  if (optimum.end.theta != parts.optimum.end.theta)
    optimum.summary.push_back(found_by + "; the search continued from there");
  return optimum;
}

/// The same, beginning at the best of the better points.
FitOptimum continue_from_better(const ReportParts& parts, const MinimizerWatch& watch) {
  const BetterPoint& best = *std::ranges::min_element(parts.intervals.better, {}, &BetterPoint::rise);
  return continue_from(parts, best.theta, best.found_by + formatted(" found a better point (Δχ² = %.3g)", best.rise),
                       watch);
}

/// How many times everything may be evaluated again at a better optimum.
constexpr int most_rounds = 3;

ReportParts evaluate(const ResolvedFit& fit, FitOptimum optimum, int round, const FitWatch& watch);

/// Evaluates everything at an optimum, or at a better one if the evaluation leads to one; throws if stopped.
ReportParts evaluate_throughout(const ResolvedFit& fit, FitOptimum optimum, int round, const FitWatch& watch) {
  ReportParts parts = look_at(fit, std::move(optimum), watch);
  const FurtherCall call = call_for_starts(parts, watch.minimizer);
  // A fit that was off in the first round and is not now may be an alias, so that aliases are compared once more.
  if (!call.why.empty() && (round == 0 || (round == 1 && !call.is_off))) {
    FitOptimum next = search_on(parts, call, watch.minimizer);
    if (next.end.theta != parts.optimum.end.theta) return evaluate(fit, std::move(next), round + 1, watch);
    parts.optimum = std::move(next);
  }
  if (round < most_rounds && allows_starts(parts, watch.minimizer)) {
    FitOptimum next = search_reversed_on(parts, call.is_off, watch.minimizer);
    if (next.end.theta != parts.optimum.end.theta) return evaluate(fit, std::move(next), round + 1, watch);
    parts.optimum = std::move(next);
  }
  complete(parts, watch);
  if (round < most_rounds && !parts.intervals.better.empty() && !watch.minimizer.is_stopped()) {
    FitOptimum next = continue_from_better(parts, watch.minimizer);
    if (next.end.theta != parts.optimum.end.theta) return evaluate(fit, std::move(next), round + 1, watch);
  }
  parts.clues.suspect = find_suspect_of(parts);
  return parts;
}

/// Like evaluate_throughout; if the fit is stopped meanwhile, returns the parts that follow from the optimum alone.
ReportParts evaluate(const ResolvedFit& fit, FitOptimum optimum, int round, const FitWatch& watch) {
  if (is_over(optimum)) return begin_parts(fit, std::move(optimum));
  try {
    return evaluate_throughout(fit, optimum, round, watch);
  } catch (const sim::Stopped&) {
    note_stop(optimum.end);
    return begin_parts(fit, std::move(optimum));
  }
}

/// Reports these parts and the fit at half the time step. If the latter finds a better fit, reports that one at both
/// steps.
FitAtBothSteps compare_steps(const ReportParts& parts, int round, const FitWatch& watch) {
  FitAtBothSteps found{make_report(parts), {}};
  if (found.report.search.status != MinimizerStatus::Converged) return found;
  HalvedSearch halved;
  try {
    halved = refit_at_half_step(parts.fit, found.report, watch.minimizer);
  } catch (const sim::Stopped&) {
    FitOptimum optimum = parts.optimum;
    note_stop(optimum.end);
    return {make_report(begin_parts(parts.fit, std::move(optimum))), {}};
  }
  found.halved = std::move(halved.step);
  if (!found.halved->another_minimum || round >= most_rounds || watch.minimizer.is_stopped()) return found;
  FitOptimum next =
      continue_from(parts, halved.theta, "the fit at half the time step found another minimum", watch.minimizer);
  if (next.end.theta == parts.optimum.end.theta) return found;
  return compare_steps(evaluate(parts.fit, std::move(next), round + 1, watch), round + 1, watch);
}

/// Returns the optimum, and the fit in which the widths of priors and the diffusion of particles are those found.
WidthFit find_settled(const ResolvedFit& fit, const SearchWatch& watch) {
  return settle_diffusion(find_prior_widths(fit, find_optimum(fit, watch), watch.minimizer), watch.minimizer);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

FitReport fit(const FitProblem& problem, const SearchWatch& watch) { return fit(ResolvedFit(problem), {}, watch); }

FitReport fit(const ResolvedFit& resolved, const ShowStep& show, const SearchWatch& watch) {
  const sim::Stoppable stoppable(watch.minimizer.stop);
  const auto begin = std::chrono::steady_clock::now();
  WidthFit found = find_settled(resolved, watch);
  FitReport report = make_report(evaluate(*found.fit, std::move(found.optimum), 0, {show, watch.minimizer}));
  report.seconds = seconds_since(begin);
  return report;
}

FitAtBothSteps fit_at_both_steps(const ResolvedFit& resolved, const ShowStep& show, const SearchWatch& watch) {
  const sim::Stoppable stoppable(watch.minimizer.stop);
  const auto begin = std::chrono::steady_clock::now();
  const FitWatch seen{show, watch.minimizer};
  WidthFit optimum = find_settled(resolved, watch);
  FitAtBothSteps found = compare_steps(evaluate(*optimum.fit, std::move(optimum.optimum), 0, seen), 0, seen);
  found.report.seconds = seconds_since(begin);
  return found;
}

}  // namespace pithball::optim
