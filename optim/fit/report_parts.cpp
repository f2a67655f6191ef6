#include "optim/fit/report_parts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "optim/fit/resolved_fit.hpp"
#include "optim/uncertainty/lone_combination.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

using Notes = std::vector<std::string>;

void append(Notes more, Notes& notes) { std::ranges::move(more, std::back_inserter(notes)); }

/// Those of nuisance parameters follow from the recording itself.
bool has_priors_asked_for(const FitProblem& problem) {
  return std::ranges::any_of(problem.parameters,
                             [](const Parameter& p) { return !p.priors.empty() && !p.is_nuisance; });
}

/// Symmetries and combinations of values that the recordings do not tell apart, one sentence each.
Notes say_confounded(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& bounded) {
  if (bounded.symmetry) return {bounded.symmetry->sentence()};
  if (bounded.rows.prior_J.rows() > 0) return {};
  return say_lone_combinations(fit.map(), theta, bounded.rows.J, bounded.errors.posterior.formal);
}

/// An upper limit in a sentence. That of a model which does not fit is as wrong as the model.
std::string say_limit(const FittedParameter& p, double confidence) {
  const std::string limit = formatted("%.2g%s%s", p.upper_limit, p.unit.empty() ? "" : " ", p.unit.c_str());
  if (!p.limit_holds) return p.name + ": its upper limit of " + limit + " is not valid, because the model does not fit";
  return p.name + " is consistent with 0: it is below " + limit + formatted(" (%g %%)", 100 * confidence);
}

/// A model that is further from the recordings than a body at rest, by more than chance.
Notes say_baseline(const FitReport& report) {
  const PositionErrors& e = report.fit;
  const double chance = report.quality.effective_degrees > 0 ? 4 * std::sqrt(2 / report.quality.effective_degrees) : 0;
  if (!(report.quality.reduced() > 1 && e.model * e.model > e.static_baseline * e.static_baseline * (1 + chance)))
    return {};
  return {"RMS residual " + e.kind->shown(e.model) + ", static baseline only " + e.kind->shown(e.static_baseline)};
}

/// "the recordings determine 2.3 of the 3 parameters"
std::string determined_by_data_text(double determined, Index values) {
  if (std::isnan(determined)) return "how many of the parameters the recordings determine is unknown";
  return formatted("the recordings determine %.3g of the %lld parameters", determined, static_cast<long long>(values));
}

/// The search: what is known even if it failed.
void write_search(ReportParts& parts, FitReport& report) {
  FitOptimum& optimum = parts.optimum;
  ComparedMinima& minima = parts.minima;
  report.status = optimum.end.status;
  report.message = std::move(optimum.end.message);
  report.theta = optimum.end.theta;
  report.scales = optimum.scales;
  report.rough = std::move(optimum.rough);
  report.cost_history = std::move(optimum.search.best.cost_history);
  report.path = std::move(optimum.search.best.path);
  report.search = std::move(optimum.search.stages);
  for (std::size_t n = 0; n < minima.places.size(); ++n) report.search.back().minima[n].place = minima.places[n];
  report.search_summary = std::move(optimum.summary);
  if (!minima.summary.empty()) report.search_summary.push_back(std::move(minima.summary));
  report.evaluations = optimum.end.evaluations;
  report.failed_evaluations = optimum.end.failed_evaluations;
}

/// What the errors say of all values together.
void write_errors(const ReportParts& parts, FitReport& report) {
  if (parts.errors.sampled) {
    const ManyErrors& many = *parts.errors.sampled;
    report.theta_error = many.errors.formal;
    report.residual_scale = many.errors.s;
    report.degrees_of_freedom = many.errors.degrees_of_freedom;
    report.errors = many.report;
    report.evaluations += many.evaluations;
  }
  if (!parts.errors.full) return;
  const BoundedErrors& full = *parts.errors.full;
  const FitProblem& problem = parts.fit.problem();
  const Uncertainty& u = full.errors.posterior.formal;
  report.weak_directions = u.weak_directions;
  report.correlation = u.correlation;
  report.theta_error = u.standard_error;
  report.singular_values = u.singular_values;
  report.condition = u.condition;
  report.residual_scale = u.s;
  report.degrees_of_freedom = u.degrees_of_freedom;
  std::vector<std::string> recordings;
  for (const diff::Scenario& scenario : problem.scenarios) recordings.push_back(scenario.name);
  report.errors = report_errors(full.rows, full.errors, parts.fit.map().names(), recordings);
  for (const Downweighted& one : find_downweighted(problem.scenarios, problem.observations, full.scores.weight)) {
    const auto s = static_cast<std::size_t>(one.scenario);
    report.errors.outliers.push_back({problem.scenarios[s].name, one.samples, one.of,
                                      problem.observations[s].markers[one.worst_marker].name, one.worst_samples,
                                      one.first, one.last});
  }
}

/// The table of results and those of the alternatives.
void write_tables(ReportParts& parts, FitReport& report) {
  report.parameters = std::move(parts.intervals.parameters);
  report.profiles = std::move(parts.intervals.profiles);
  report.alternatives = std::move(parts.minima.alternatives);
  report.confidence = parts.fit.problem().uncertainty.confidence;
  const bool fits = parts.statistics.quality.fits();
  const auto settle_limits = [&](std::vector<FittedParameter>& table) {
    for (FittedParameter& p : table) p.limit_holds = fits || std::isnan(p.upper_limit);
  };
  settle_limits(report.parameters);
  for (AlternativeEstimate& other : report.alternatives) settle_limits(other.parameters);
  report.evaluations += parts.intervals.evaluations;
  report.evaluations += parts.minima.evaluations;
  if (parts.halved) ++report.evaluations.forward;
  if (!parts.halved || !parts.halved->failure.empty()) return;
  report.half_step = parts.halved->shift;
  report.half_step_length = parts.halved->length;
  const StepEffects effects =
      effects_of(*parts.halved, parts.fit.map(), report.theta, parts.errors.full->errors.parameters);
  for (std::size_t k = 0; k < report.parameters.size(); ++k) {
    report.parameters[k].half_step_shift = effects.in_standard_errors[k];
    report.parameters[k].extrapolated = effects.extrapolated[k];
  }
}

/// The errors of all recordings, by part.
void write_tracks(ReportParts& parts, FitReport& report) {
  report.started = std::move(parts.last.started);
  report.tracks = std::move(parts.last.run.tracks);
  for (std::size_t s = 0; s < report.tracks.size(); ++s) {
    const bool is_judged_only = std::any_of(report.started.begin(), report.started.end(),
                                            [&](const FoundStart& start) { return start.recording == s; });
    for (const Part part : all_parts) {
      if (is_judged_only && part == Part::Fit)
        continue;  // its start was found from these frames, nothing was fitted to them
      RecordingErrors errors = compute_errors(report.tracks[s], part);
      if (errors.all.samples > 0) report.recordings.push_back(std::move(errors));
    }
  }
  report.fit = pool(report.recordings, Part::Fit);
  report.validation_frames = pool(report.recordings, Part::ValidationFrame);
  report.validation_markers = pool(report.recordings, Part::ValidationMarker);
}

/// Notes on errors and intervals of all values.
Notes say_errors(ReportParts& parts, const FitReport& report) {
  Notes notes = std::move(parts.errors.notes);
  if (parts.errors.sampled) append(std::move(parts.errors.sampled->notes), notes);
  append(std::move(parts.intervals.notes), notes);
  if (parts.errors.full) append(say_confounded(parts.fit, report.theta, *parts.errors.full), notes);
  if (parts.halved && !parts.halved->failure.empty())
    notes.push_back("the effect of half the time step is unknown: " + parts.halved->failure);
  append(say_step_effects(report.parameters), notes);
  return notes;
}

/// Notes on how the model compares with the recordings. `residuals`: those of the statistics.
Notes say_comparison(const ResolvedFit& fit, Notes residuals, const FitReport& report) {
  Notes notes = std::move(residuals);
  for (const MisfitCause& cause : report.misfit_causes)
    if (report.quality.fits()) notes.push_back("it may be " + cause.reason + "; " + cause.remedy);
  for (const FittedParameter& p : report.parameters)
    if (fit.has_full_errors() && !std::isnan(p.upper_limit)) notes.push_back(say_limit(p, report.confidence));
  if (has_priors_asked_for(fit.problem()))
    notes.push_back(
        "priors enter the cost like measurements: standard errors are those of the posterior, and parameters "
        "determined only by priors count as identifiable; " +
        determined_by_data_text(report.errors.determined_by_data, fit.map().size()));
  for (const MarkerTracks& one : report.tracks)
    if (one.unreliable_step >= 0)
      notes.push_back(one.recording + ": derivative unreliable at step " + std::to_string(one.unreliable_step) +
                      ", where the implicit step is nearly singular (buckling); so are the standard errors");
  append(say_baseline(report), notes);
  return notes;
}

}  // namespace

FitReport make_report(ReportParts parts) {
  FitReport report;
  report.notes = std::move(parts.optimum.notes);
  const bool failed = parts.optimum.end.status == MinimizerStatus::Failed;
  write_search(parts, report);
  write_errors(parts, report);
  write_tables(parts, report);
  if (failed) return report;
  Notes residuals = say_residuals(parts.fit, parts.last.run, parts.statistics);
  write_tracks(parts, report);
  report.growth = std::move(parts.growth);
  report.whiteness = std::move(parts.statistics.whiteness);
  report.quality = std::move(parts.statistics.quality);
  report.misfit_causes = std::move(parts.causes);
  append(std::move(parts.last.notes), report.notes);
  append(say_errors(parts, report), report.notes);
  append(say_comparison(parts.fit, std::move(residuals), report), report.notes);
  return report;
}

}  // namespace pithball::optim
