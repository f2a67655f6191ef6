#include "optim/fit/report_parts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "optim/fit/checked_intervals.hpp"
#include "optim/fit/problem.hpp"
#include "optim/parameter/parameter_blocks.hpp"
#include "optim/uncertainty/identifiability.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

using Notes = std::vector<std::string>;

void append(Notes more, Notes& notes) { std::ranges::move(more, std::back_inserter(notes)); }

/// Whether any prior was requested; those of nuisance parameters follow from the recording itself.
bool has_priors_asked_for(const FitProblem& problem) {
  return std::ranges::any_of(problem.parameters,
                             [](const Parameter& p) { return !p.priors.empty() && !p.is_nuisance; });
}

/// One sentence for each symmetry or combination of values that the recordings do not distinguish.
Notes say_confounded(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& bounded) {
  if (bounded.symmetry) return {bounded.symmetry->sentence()};
  if (bounded.rows.prior_J.rows() > 0) return {};
  return describe_lone_combinations(fit.map(), theta, bounded.rows.J, bounded.errors.posterior.formal);
}

/// A sentence for an upper limit, which is not valid if the model does not fit.
std::string say_limit(const FittedParameter& p, double confidence) {
  const std::string limit = formatted("%.2g%s%s", p.interval.upper_limit, p.unit.empty() ? "" : " ", p.unit.c_str());
  if (!p.interval.limit_holds)
    return p.name + ": its upper limit of " + limit + " is not valid, because the model does not fit";
  return p.name + " is consistent with 0: it is below " + limit + formatted(" (%g %%)", 100 * confidence);
}

/// A note if the model is farther from the recordings than a body at rest, by more than chance.
Notes say_baseline(const FitReport& report) {
  const PositionErrors& e = report.goodness.errors.fit;
  const double chance =
      report.goodness.quality.effective_degrees > 0 ? 4 * std::sqrt(2 / report.goodness.quality.effective_degrees) : 0;
  if (!(report.goodness.quality.reduced() > 1 &&
        e.model * e.model > e.static_baseline * e.static_baseline * (1 + chance)))
    return {};
  return {"RMS residual " + e.kind->shown(e.model) + ", static baseline only " + e.kind->shown(e.static_baseline)};
}

/// "the recordings determine 2.3 of the 3 parameters"
std::string determined_by_data_text(double determined, Index values) {
  if (std::isnan(determined)) return "how many of the parameters the recordings determine is unknown";
  return formatted("the recordings determine %.3g of the %lld parameters", determined, static_cast<long long>(values));
}

/// Values that look identifiable but are determined by priors alone.
Notes say_by_priors(const PriorEffect& priors) {
  constexpr std::size_t listed = 12;
  const std::vector<std::string>& names = priors.by_priors_alone;
  if (names.empty()) return {};
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), listed); ++k) list += (k == 0 ? "" : ", ") + names[k];
  if (names.size() > listed) list += formatted(" and %zu more", names.size() - listed);
  return {"determined by priors alone: " + list + "; their intervals hold if the priors do"};
}

/// A remedy for values that the recordings leave undetermined although they have neighbors.
Notes say_undetermined_neighbors(const ResolvedFit& fit, const std::vector<FittedParameter>& table) {
  Notes notes;
  const std::vector<Parameter>& declared = fit.problem().parameters;
  for (std::size_t d = 0; d < declared.size(); ++d) {
    const auto is_smooth = [](const Prior& prior) { return std::holds_alternative<SmoothPrior>(prior); };
    if (declared[d].entries.sharing != EntrySharing::None || std::ranges::any_of(declared[d].priors, is_smooth))
      continue;
    std::size_t all = 0, open = 0;
    for (Index k = 0; k < fit.map().size(); ++k) {
      if (fit.map().info()[k].declaration != static_cast<Index>(d)) continue;
      ++all;
      open += !table[k].identifiable;
    }
    if (open > 0 && !find_neighbors(fit.map(), static_cast<Index>(d), declared[d].value).empty())
      notes.push_back(
          formatted("%zu of the %zu values of %s are not identifiable; `prior: {smooth: {}}` estimates "
                    "them from their neighbors, as far as the recordings show neighbors to be alike",
                    open, all, declared[d].value.c_str()));
  }
  return notes;
}

/// The searches of a stage; with `several` starts, also the values of the parameters.
FitStage make_stage(const StageReport& found, const ParameterMap& map, bool several) {
  const SearchStage& stage = found.stage;
  FitStage made;
  made.horizon = stage.horizon;
  if (stage.integrator) made.integrator = stage.integrator->name();
  if (stage.time_step) made.time_step = *stage.time_step;
  made.segments = stage.segments;
  for (const FoundMinimum& one : found.minima) {
    const MinimizerReport& end = one.found;
    FitMinimum& minimum = made.minima.emplace_back();
    minimum.start = one.start;
    minimum.status = end.status;
    minimum.cost = end.cost;
    minimum.iterations = end.cost_history.empty() ? 0 : end.cost_history.size() - 1;
    if (!several) continue;
    const Vector p = map.physical(end.theta);
    for (Index k = 0; k < map.size(); ++k) minimum.parameters.emplace_back(map.names()[k], p[k]);
  }
  return made;
}

/// Evaluations of all parts of a fit.
EvaluationCounts sum_evaluations(const ReportParts& parts) {
  EvaluationCounts sum = parts.optimum.end.evaluations;
  if (parts.errors.sampled) sum += parts.errors.sampled->evaluations;
  sum += parts.intervals.evaluations;
  sum += parts.minima.evaluations;
  if (parts.halved) ++sum.forward;
  if (!parts.held.effects.empty()) {
    ++sum.forward;
    sum.adjoint += static_cast<long>(parts.held.effects.front().changes.size());
  }
  return sum;
}

/// The report of the search, which is available even if the search failed.
FitSearch make_search(const ReportParts& parts) {
  const FitOptimum& optimum = parts.optimum;
  const ParameterMap& map = parts.fit.map();
  FitSearch search{.status = optimum.end.status,
                   .message = optimum.end.message,
                   .cost_history = optimum.search.best.cost_history,
                   .path = {},
                   .stages = {},
                   .summary = optimum.summary,
                   .evaluations = sum_evaluations(parts),
                   .failed_evaluations = optimum.end.failed_evaluations,
                   .gradients = parts.last.gradients};
  for (const Vector& theta : optimum.search.best.path) search.path.push_back(map.physical(theta));
  const bool several = !optimum.search.stages.empty() && (optimum.search.stages.front().minima.size() > 1 ||
                                                          optimum.search.stages.back().minima.size() > 1);
  for (const StageReport& stage : optimum.search.stages) search.stages.push_back(make_stage(stage, map, several));
  const ComparedMinima& minima = parts.minima;
  for (std::size_t n = 0; n < minima.places.size(); ++n) search.stages.back().minima[n].place = minima.places[n];
  if (!minima.summary.empty()) search.summary.push_back(minima.summary);
  return search;
}

/// Returns how the standard errors were computed from the whole Jacobian.
ErrorReport make_error_report(const ResolvedFit& fit, const BoundedErrors& full) {
  const FitProblem& problem = fit.problem();
  std::vector<std::string> recordings;
  for (const diff::Scenario& scenario : problem.scenarios) recordings.push_back(scenario.name);
  ErrorReport report = report_errors(full.rows, full.errors, fit.map().names(), recordings);
  for (const Downweighted& one : find_downweighted(problem.scenarios, problem.observations, full.scores.weight)) {
    const auto s = static_cast<std::size_t>(one.scenario);
    report.outliers.push_back({problem.scenarios[s].name, one.samples, one.of,
                               problem.observations[s].markers[one.worst_marker].name, one.worst_samples, one.first,
                               one.last});
  }
  return report;
}

/// Adds the effects of half the time step to the table, and whether upper limits hold: only if the model fits.
std::vector<FittedParameter> complete(std::vector<FittedParameter> table, bool fits, const StepEffects& effects) {
  for (FittedParameter& p : table) p.interval.limit_holds = fits || std::isnan(p.interval.upper_limit);
  for (std::size_t k = 0; k < effects.extrapolated.size(); ++k)
    table[k].half_step = {effects.in_standard_errors[k], effects.extrapolated[k]};
  return table;
}

/// Whether the run at half the time step succeeded, so that its effect on the estimates is known.
bool knows_half_step(const ReportParts& parts) { return parts.halved && parts.halved->failure.empty(); }

/// Returns the table of results, the tables of the alternatives, and summaries of the errors of all values.
Estimates make_estimates(const ReportParts& parts) {
  const ResolvedFit& fit = parts.fit;
  const bool fits = parts.statistics.quality.fits();
  StepEffects effects;
  if (knows_half_step(parts))
    effects = effects_of(*parts.halved, fit.map(), parts.optimum.end.theta, parts.errors.full->errors.parameters);
  Estimates estimates;
  estimates.confidence = fit.problem().uncertainty.options.confidence;
  estimates.parameters = complete(parts.intervals.parameters, fits, effects);
  estimates.profiles = parts.intervals.profiles;
  estimates.alternatives = parts.minima.alternatives;
  estimates.held = parts.held;
  for (AlternativeEstimate& other : estimates.alternatives)
    other.parameters = complete(std::move(other.parameters), fits, {});
  if (parts.errors.sampled) {
    const ManyErrors& many = *parts.errors.sampled;
    estimates.residual_scale = many.errors.s;
    estimates.degrees_of_freedom = many.errors.degrees_of_freedom;
    estimates.uncertainty = many.report;
  }
  if (parts.errors.full) {
    const Uncertainty& u = parts.errors.full->errors.posterior.formal;
    estimates.weak_directions = u.spectrum.weak_directions;
    estimates.correlation = u.correlation;
    estimates.condition = u.spectrum.condition();
    estimates.residual_scale = u.scale.s;
    estimates.degrees_of_freedom = u.scale.degrees_of_freedom;
    estimates.uncertainty = make_error_report(fit, *parts.errors.full);
    estimates.uncertainty.priors.widths = parts.optimum.widths;
  }
  return estimates;
}

/// Returns the formal standard errors of θ.
Vector theta_error_of(const ThetaErrors& errors) {
  if (errors.full) return errors.full->errors.posterior.formal.standard_error;
  return errors.sampled ? errors.sampled->errors.formal : Vector();
}

/// Returns the errors of the simulated readings in all recordings, by part.
FitErrors make_errors(const FinalRun& last) {
  std::vector<RecordingErrors> recordings;
  for (std::size_t s = 0; s < last.run.tracks.size(); ++s) {
    const bool is_judged_only =
        std::ranges::any_of(last.started, [&](const FoundStart& start) { return start.recording == s; });
    for (const Part part : all_parts) {
      if (is_judged_only && part == Part::Fit) continue;  // these frames determined its start and were not fitted
      RecordingErrors errors = compute_errors(last.run.tracks[s], part);
      if (errors.all.samples > 0) recordings.push_back(std::move(errors));
    }
  }
  return pool(std::move(recordings));
}

/// "29.6 ± 0.03 N/m": the value at `theta`, which may differ from the estimate, with its error.
std::string say_estimate(const ParameterInfo& info, double theta, double error) {
  return formatted("%.5g ± %.2g", info.transform.value(theta), info.transform.derivative(theta) * error) +
         (info.unit.empty() ? "" : " " + info.unit);
}

/// Largest difference, in standard deviations, between the estimates from the two halves of the time that intervals
/// cover.
constexpr double most_change = 2;

/// Returns a sentence for the value that changes along the recordings by more than the intervals account for; empty if
/// there is none. `table` contains all values with their reported errors.
std::string say_change(const ParameterMap& map, const Vector& theta, const BlockAgreement& agreement,
                       const std::vector<FittedParameter>& table) {
  const ValueChange* largest = nullptr;
  double change = most_change;
  for (const ValueChange& one : agreement.changes) {
    if (!(one.p_value < change_alarm)) continue;
    const double slope = std::abs(map.info()[one.parameter].transform.derivative(theta[one.parameter]));
    const double in_errors = one.in_errors(table[one.parameter].standard_error / slope);
    if (in_errors > change) std::tie(largest, change) = std::pair(&one, in_errors);
  }
  if (!largest) return "";
  const Index k = largest->parameter;
  const ParameterInfo& info = map.info()[k];
  const auto said = [&](const HalfEstimate& half) { return say_estimate(info, theta[k] + half.shift, half.error); };
  return "estimates from two halves of the time differ by more than the intervals account for: " + info.name + " is " +
         said(largest->first_half) + " in the first half, " + said(largest->second_half) +
         formatted(" in the second (p = %.1g)", largest->p_value);
}

/// Whether the recordings are a computed motion without noise that the model reproduces.
bool are_exact(const ReportParts& parts) {
  return parts.errors.full && shows_no_scatter(parts.fit.problem(), parts.errors.full->errors.posterior.data_scale);
}

/// The note for exact recordings, in place of those on residuals and time steps.
std::string say_exact(const PositionErrors& fit) {
  return "the recordings are exact: residuals" + (fit.kind ? " of " + fit.kind->shown(fit.model) : std::string()) +
         " are the rounding of a computation; standard errors are those of rounding, and say nothing of a measurement";
}

/// If the recordings contradict each other in a shared value, adds a sentence with their estimates (of many recordings,
/// only the two farthest apart). Omitted for exact motions: they have no noise with which to compare the differences.
void add_homogeneity(const ResolvedFit& fit, const Vector& theta, const ThetaErrors& errors, GoodnessOfFit& goodness) {
  if (!errors.full) return;
  const Homogeneity& found = errors.full->errors.homogeneity;
  goodness.homogeneity = found.p_value;
  const Index k = found.worst_parameter;
  if (k < 0 || !(found.p_value < contradiction_alarm)) return;
  const ParameterInfo& info = fit.map().info()[k];
  std::vector<RecordingEstimate> said;
  for (const Index j : found.named_recordings())
    said.push_back({fit.problem().scenarios[errors.full->rows.order.recordings[j]].name,
                    say_estimate(info, theta[k] + found.shifts(k, j), found.errors(k, j))});
  goodness.contradiction = contradiction_sentence(info.name, said, found.p_value);
  goodness.contradicted = info.value;
}

/// Returns a note that the motion may be an alias; empty if all other frequencies were searched and fit worse.
std::string say_aliases(const ReportParts& parts) {
  if (!parts.motion.are_possible() || parts.optimum.has_all_aliases) return "";
  return parts.motion.sentence();
}

/// Notes on errors and intervals of all values.
Notes say_errors(ReportParts& parts, const FitReport& report) {
  Notes notes = std::move(parts.errors.notes);
  if (parts.errors.sampled) append(std::move(parts.errors.sampled->notes), notes);
  append(std::move(parts.intervals.notes), notes);
  if (parts.errors.full) append(say_confounded(parts.fit, report.theta, *parts.errors.full), notes);
  if (parts.halved && !parts.halved->failure.empty())
    notes.push_back("the effect of half the time step is unknown: " + parts.halved->failure);
  if (parts.halved && !parts.halved->leads_there)
    notes.push_back(
        "the time step changes the motion by more than can be translated into changes of the estimates: compare with a "
        "fit at half of simulation.time_step (--halve-step)");
  if (!are_exact(parts)) append(say_step_effects(report.estimates.parameters, parts.fit.problem()), notes);
  return notes;
}

/// Notes on how the model compares with the recordings. `residuals` are the notes from the statistics.
Notes say_comparison(const ResolvedFit& fit, Notes residuals, const FitReport& report) {
  Notes notes = std::move(residuals);
  for (const MisfitCause& cause : report.goodness.causes)
    if (report.goodness.quality.fits()) notes.push_back("it may be " + cause.reason + "; " + cause.remedy);
  for (const FittedParameter& p : report.estimates.parameters)
    if (fit.has_full_errors() && !std::isnan(p.interval.upper_limit))
      notes.push_back(say_limit(p, report.estimates.confidence));
  if (has_priors_asked_for(fit.problem()))
    notes.push_back(
        "priors enter the cost like measurements: standard errors are those of the posterior, and parameters "
        "determined only by priors count as identifiable; " +
        determined_by_data_text(report.estimates.uncertainty.priors.determined_by_data, fit.map().size()));
  append(say_by_priors(report.estimates.uncertainty.priors), notes);
  append(say_undetermined_neighbors(fit, report.estimates.parameters), notes);
  for (const MarkerTracks& one : report.tracks)
    if (one.unreliable_step >= 0)
      notes.push_back(one.recording + ": derivative unreliable at step " + std::to_string(one.unreliable_step) + ", " +
                      diff::where_unreliable + "; so are the standard errors");
  append(say_baseline(report), notes);
  return notes;
}

}  // namespace

FitReport make_report(ReportParts parts) {
  FitReport report;
  report.theta = parts.optimum.end.theta;
  report.scales = parts.optimum.scales;
  report.search = make_search(parts);
  report.estimates = make_estimates(parts);
  report.theta_error = theta_error_of(parts.errors);
  report.notes = std::move(parts.optimum.notes);
  if (!parts.last.run.tracks.empty()) {  // empty if the start failed or the fit was stopped before
    if (knows_half_step(parts)) report.half_step = parts.halved->shift;
    const bool is_exact = are_exact(parts);
    Notes residuals = is_exact ? Notes() : say_residuals(parts.fit, parts.last.run, parts.statistics);
    report.goodness = {make_errors(parts.last),
                       std::move(parts.statistics.quality),
                       std::move(parts.clues.causes),
                       std::move(parts.statistics.whiteness),
                       std::move(parts.growth),
                       parts.clues.agreement,
                       say_change(parts.fit.map(), report.theta, parts.clues.agreement, report.estimates.parameters),
                       say_aliases(parts)};
    report.goodness.suspect = std::move(parts.clues.suspect.cause);
    if (is_exact)
      residuals.push_back(say_exact(report.goodness.errors.fit));
    else
      add_homogeneity(parts.fit, report.theta, parts.errors, report.goodness);
    report.started = std::move(parts.last.started);
    report.tracks = std::move(parts.last.run.tracks);
    append(std::move(parts.last.notes), report.notes);
    append(say_errors(parts, report), report.notes);
    if (!is_exact) report.estimates.step = doubt_step_effects(report.estimates.parameters, parts.fit.problem());
    append(say_comparison(parts.fit, std::move(residuals), report), report.notes);
    if (const std::string& why = parts.clues.suspect.untested; !why.empty())
      report.notes.push_back("what the model lacks was not tested: " + why);
  }
  report.verdict = judge(report);
  return report;
}

}  // namespace pithball::optim
