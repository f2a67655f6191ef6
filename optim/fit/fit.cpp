#include "optim/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "optim/fit/bootstrap.hpp"
#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/checked_intervals.hpp"
#include "optim/fit/half_step.hpp"
#include "optim/fit/judged_starts.hpp"
#include "optim/fit/laplace_intervals.hpp"
#include "optim/fit/limits.hpp"
#include "optim/fit/many_errors.hpp"
#include "optim/fit/minima.hpp"
#include "optim/fit/misfit_causes.hpp"
#include "optim/fit/parameter_table.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/roughness.hpp"
#include "optim/fit/search.hpp"
#include "optim/fit/settled_scales.hpp"
#include "optim/uncertainty/kept_samples.hpp"
#include "optim/uncertainty/lone_combination.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Those of nuisance parameters follow from the recording itself.
bool has_priors_asked_for(const FitProblem& problem) {
  return std::ranges::any_of(problem.parameters,
                             [](const Parameter& p) { return !p.priors.empty() && !p.is_nuisance; });
}

bool wants_errors(const ResolvedFit& fit) { return fit.map().size() <= fit.problem().uncertainty_limit; }

/// An estimate on a bound that is no upper limit, in a sentence.
std::string say_bound(const FittedParameter& p, bool is_held) {
  return p.name + ": the estimate lies on a bound; its interval is one-sided" +
         (is_held ? ", and the errors of the others assume that it is known" : "");
}

/// An upper limit in a sentence. That of a model which does not fit is as wrong as the model.
std::string say_limit(const FittedParameter& p, double confidence) {
  const std::string limit = formatted("%.2g%s%s", p.upper_limit, p.unit.empty() ? "" : " ", p.unit.c_str());
  if (!p.limit_holds) return p.name + ": its upper limit of " + limit + " is not valid, because the model does not fit";
  return p.name + " is consistent with 0: it is below " + limit + formatted(" (%g %%)", 100 * confidence);
}

/// Upper limits, once it is known whether the model fits.
void judge_limits(bool is_said, FitReport& report) {
  const bool fits = report.quality.fits();
  for (FittedParameter& p : report.parameters) {
    if (std::isnan(p.upper_limit)) continue;
    p.limit_holds = fits;
    if (is_said) report.notes.push_back(say_limit(p, report.confidence));
  }
  for (AlternativeEstimate& other : report.alternatives)
    for (FittedParameter& p : other.parameters) p.limit_holds = fits || std::isnan(p.upper_limit);
}

void report_outliers(const FitProblem& problem, const Vector& weight, FitReport& report) {
  const std::vector<Downweighted> found = find_downweighted(problem.scenarios, problem.observations, weight);
  for (const Downweighted& one : found) {
    const auto s = static_cast<std::size_t>(one.scenario);
    report.errors.outliers.push_back({problem.scenarios[s].name, one.samples, one.of,
                                      problem.observations[s].markers[one.worst_marker].name, one.worst_samples,
                                      one.first, one.last});
  }
}

/// Writes what the errors say of each parameter and of all.
void report_uncertainty(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report) {
  const ParameterMap& map = fit.map();
  const AllErrors& errors = judged.errors;
  const Uncertainty& u = errors.posterior.formal;
  report.correlation = u.correlation;
  report.theta_error = u.standard_error;
  report.singular_values = u.singular_values;
  report.condition = u.condition;
  report.residual_scale = u.s;
  report.degrees_of_freedom = u.degrees_of_freedom;
  std::vector<std::string> recordings;
  for (const diff::Scenario& scenario : fit.problem().scenarios) recordings.push_back(scenario.name);
  report.errors = report_errors(judged.rows, errors, map.names(), recordings);
  fill_parameters(map, report.theta, errors.parameters, judged.sides, report.parameters);
  find_limits(fit, judged, report);
  take_laplace_intervals(fit, judged, report);
  if (fit.problem().interval == IntervalMethod::Bootstrap) bootstrap_intervals(fit, judged, report);
  check_intervals(fit, judged, report);
  take_rough_intervals(fit, report);
  judge_identifiable(map, report.parameters);
  for (Index k = 0; k < map.size(); ++k) {
    const FittedParameter& p = report.parameters[k];
    if (p.at_bound && std::isnan(p.upper_limit)) report.notes.push_back(say_bound(p, judged.held[k]));
  }
  for (const WeakDirection& weak : u.weak_directions)
    report.notes.push_back("the data do not determine the direction " + weak.name);
}

/// Effect of halving the step; above 0.3 standard errors the interval does not contain the whole error.
void judge_half_step(const ResolvedFit& fit, const BoundedErrors& judged, const HalfStepShift& halved,
                     FitReport& report) {
  constexpr double worth_saying = 0.3;
  const AllErrors& errors = judged.errors;
  ++report.evaluations.forward;
  if (!halved.failure.empty()) {
    report.notes.push_back("the effect of half the time step is unknown: " + halved.failure);
    return;
  }
  report.half_step = halved.shift;
  report.half_step_length = halved.length;
  for (Index k = 0; k < fit.map().size(); ++k) {
    FittedParameter& p = report.parameters[k];
    const ParameterInfo& info = fit.map().info()[k];
    p.half_step_shift = halved.shift[k] / errors.parameters[k].standard_error;
    const double way = halved.to_limit * halved.shift[k];
    // Straight in p where a logarithm is no small change: near 0, and for a shift that is no small part of the value.
    constexpr double small_change = 0.3;
    const bool is_log = info.transform.kind() == Transform::Kind::Log;
    p.extrapolated = is_log && std::abs(way) > small_change
                         ? std::max(0.0, p.estimate + info.transform.derivative(report.theta[k]) * way)
                         : info.transform.value(report.theta[k] + way);
    if (!p.identifiable || info.is_nuisance || !(std::abs(p.half_step_shift) > worth_saying)) continue;
    report.notes.push_back(p.name +
                           formatted(": with half the time step the estimate would change by %.2g standard errors; "
                                     "extrapolated to a time step of zero, it is %.6g instead of %.6g: reduce "
                                     "simulation.time_step",
                                     p.half_step_shift, p.extrapolated, p.estimate));
  }
}

/// Correlation and size of the residuals, but of samples that a loss sets aside; directions that are known to be
/// undetermined cost no degree of freedom.
void measure_residuals(const ResolvedFit& fit, const WholeRun& run, FitReport& report) {
  if (!run.evaluation.ok() || run.r.size() == 0) return;
  const FitProblem& problem = fit.problem();
  RobustLoss loss = problem.loss;
  loss.threshold *= report.scales.threshold;
  const auto [observations, r] = keep_samples(problem.scenarios, problem.observations, run.r, loss);
  report.whiteness = compute_whiteness(problem.scenarios, observations, r, count_fitted(fit.map()));
  const auto undetermined = static_cast<Index>(report.weak_directions.size());
  report.quality =
      compute_fit_quality(problem.scenarios, observations, r, report.whiteness, fit.map().size() - undetermined);
  report.quality.absolute_sigma = problem.uncertainty.absolute_sigma;
}

void judge(const ResolvedFit& fit, const WholeRun& run, FitReport& report) {
  const FitProblem& problem = fit.problem();
  if (fit.map().size() == 0) return;
  if (problem.uncertainty_limit == 0) return compare_costs(report);
  if (!wants_errors(fit)) {
    judge_many(fit, report);
    judge_identifiable(fit.map(), report.parameters);
    return compare_costs(report);
  }
  FitRows rows;
  const Evaluation evaluation = run.evaluation.ok()
                                    ? make_fit_rows(fit, report.theta, run.r, run.J, report.scales.threshold, rows)
                                    : run.evaluation;
  if (!evaluation.ok()) {
    report.notes.push_back("standard errors could not be computed: " + evaluation.failure);
    return;
  }
  const BoundedErrors judged = compute_bounded_errors(fit, report.theta, std::move(rows), report.scales.data);
  if (!judged.failure.empty())
    report.notes.push_back("standard errors do not include that of the initial state or placement: " + judged.failure);
  report.weak_directions = judged.errors.posterior.formal.weak_directions;
  const Vector theta = report.theta;
  measure_residuals(fit, run, report);  // intervals of a model that does not fit are not checked
  HalfStepShift halved;
  constexpr double much = std::numeric_limits<double>::infinity();  // of work: each is a run at least
  sim::parallel_for(2, much, [&](Index k) {
    if (k == 0) return report_uncertainty(fit, judged, report);
    halved = compute_half_step(fit, theta, judged.rows, judged.scores, judged.errors.posterior);
  });
  if (judged.symmetry) report.notes.push_back(judged.symmetry->sentence());
  if (!judged.symmetry && judged.rows.prior_J.rows() == 0)
    for (std::string& said :
         say_lone_combinations(fit.map(), report.theta, judged.rows.J, judged.errors.posterior.formal))
      report.notes.push_back(std::move(said));
  report_outliers(problem, judged.scores.weight, report);
  report.growth = compute_sensitivity_growth(problem.scenarios, problem.observations, of_the_body(fit.map(), run.J));
  judge_half_step(fit, judged, halved, report);
  compare_minima(fit, run, judged.errors, report);
}

/// Of a prediction: no parameter is free, and nothing is looked for.
SearchReport search_of_nothing() {
  SearchReport found;
  found.best.status = MinimizerStatus::Converged;
  found.best.message = "nothing was fitted";
  found.best.theta = Vector(0);
  return found;
}

/// Notes on residuals that are correlated, or large beside the recordings' own noise.
void judge_residuals(const ResolvedFit& fit, const WholeRun& run, FitReport& report) {
  if (!run.evaluation.ok() || run.r.size() == 0) return;  // said elsewhere; nothing was fitted
  const FitProblem& problem = fit.problem();
  if (report.whiteness.empty()) measure_residuals(fit, run, report);  // no errors were computed
  const TrajectoryResidual& rows = fit.residual().trajectories();
  std::size_t judged = 0;
  for (std::size_t s = 0; s < problem.observations.size(); ++s) {
    const Index count = rows.first_row(s + 1) - rows.first_row(s);
    if (count == 0) continue;
    RecordingWhiteness& recording = report.whiteness[judged++];
    recording.holds_error = !problem.value_errors.empty() && !problem.value_errors[s].empty();
    // Of an exact motion, residuals are the rounding of one run against another: no noise, and nothing to be said.
    const double square = run.r.segment(rows.first_row(s), count).squaredNorm();
    if (problem.observations[s].sigma_origin == SigmaOrigin::Guess && square < static_cast<double>(count)) continue;
    for (const std::string& warning : recording.warnings()) report.notes.push_back(warning);
  }
  for (const std::string& note : report.quality.notes()) report.notes.push_back(note);
  report.misfit_causes = find_misfit_causes(fit, report);
  for (const MisfitCause& cause : report.misfit_causes)
    if (report.quality.fits()) report.notes.push_back("it may be " + cause.reason + "; " + cause.remedy);
}

/// A model that is further from the recordings than a body at rest, by more than chance.
void judge_baseline(FitReport& report) {
  const PositionErrors& e = report.fit;
  const double chance = report.quality.effective_degrees > 0 ? 4 * std::sqrt(2 / report.quality.effective_degrees) : 0;
  if (!(report.quality.reduced() > 1 && e.model * e.model > e.static_baseline * e.static_baseline * (1 + chance)))
    return;
  report.notes.push_back("RMS residual " + e.kind->shown(e.model) + ", static baseline only " +
                         e.kind->shown(e.static_baseline));
}

void compare(std::vector<MarkerTracks> found, FitReport& report) {
  report.tracks = std::move(found);
  for (std::size_t s = 0; s < report.tracks.size(); ++s) {
    const MarkerTracks& tracks = report.tracks[s];
    const bool is_judged_only = std::any_of(report.started.begin(), report.started.end(),
                                            [&](const FoundStart& start) { return start.recording == s; });
    if (tracks.unreliable_step >= 0)
      report.notes.push_back(tracks.recording + ": derivative unreliable at step " +
                             std::to_string(tracks.unreliable_step) +
                             ", where the implicit step is nearly singular (buckling); so are the standard errors");
    for (const Part part : all_parts) {
      if (is_judged_only && part == Part::Fit)
        continue;  // its start was found from these frames, nothing was fitted to them
      RecordingErrors errors = compute_errors(tracks, part);
      if (errors.all.samples > 0) report.recordings.push_back(std::move(errors));
    }
  }
  report.fit = pool(report.recordings, Part::Fit);
  report.validation_frames = pool(report.recordings, Part::ValidationFrame);
  report.validation_markers = pool(report.recordings, Part::ValidationMarker);
}

/// "the recordings determine 2.3 of the 3 parameters"
std::string count_told(double told, Index values) {
  if (std::isnan(told)) return "how many of the parameters the recordings determine is unknown";
  return formatted("the recordings determine %.3g of the %lld parameters", told, static_cast<long long>(values));
}

/// The run after the search; recordings that are only judged start where their first frames say.
WholeRun run_judged(const ResolvedFit& fit, FitReport& report, const ShowStep& show) {
  const FitProblem& problem = fit.problem();
  const bool with_derivatives = wants_errors(fit);
  if (problem.start_fits.empty())
    return run_whole(fit.residual().trajectories(), problem.observations, report.theta, with_derivatives, show);
  JudgedStarts judged = find_judged_starts(fit, report.theta);
  report.started = std::move(judged.found);
  for (std::string& note : judged.notes) report.notes.push_back(std::move(note));
  const TrajectoryResidual residual(fit.map().with_scenarios(judged.scenarios), problem.observations);
  return run_whole(residual, judged.observations, report.theta, with_derivatives, show);
}

}  // namespace

FitReport fit(const FitProblem& problem) { return fit(ResolvedFit(problem)); }

FitReport fit(const ResolvedFit& resolved, const ShowStep& show) {
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem& problem = resolved.problem();
  const ParameterMap& map = resolved.map();

  FitReport report;
  report.notes = map.notes();
  SearchReport found = map.size() > 0 ? search(resolved) : search_of_nothing();
  report.status = found.best.status;
  report.message = found.best.message;
  report.theta = found.best.theta;
  report.cost_history = found.best.cost_history;
  report.path = found.best.path;
  for (const StageReport& stage : found.stages)
    for (const FoundMinimum& minimum : stage.minima) report.failed_evaluations += minimum.found.failed_evaluations;
  report.evaluations = found.evaluations;
  report.search = std::move(found.stages);
  if (std::string chosen = found.schedule.sentence(); !chosen.empty())
    report.search_summary.push_back(std::move(chosen));
  if (!found.start.empty()) report.search_summary.push_back(std::move(found.start));
  report.confidence = problem.uncertainty.confidence;
  if (report.status != MinimizerStatus::Failed && map.size() > 0) {
    report.scales = settle_scales(resolved, report);
    if (wants_errors(resolved)) {
      leave_rough_place(resolved, report);
      raise_vanished(resolved, report);
    }
  }
  report.parameters = tabulate(map, report.theta);
  if (report.status != MinimizerStatus::Failed) {
    WholeRun run = run_judged(resolved, report, show);
    judge(resolved, run, report);
    judge_residuals(resolved, run, report);
    judge_limits(wants_errors(resolved), report);
    if (has_priors_asked_for(problem))
      report.notes.push_back(
          "priors enter the cost like measurements: standard errors are those of the posterior, and parameters "
          "determined only by priors count as identifiable; " +
          count_told(report.errors.determined_by_data, map.size()));
    compare(std::move(run.tracks), report);
    judge_baseline(report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace pithball::optim
