#include "optim/diagnosis/misfit_diagnosis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/diagnosis.hpp"
#include "optim/diagnosis/remedy.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "optim/uncertainty/whiteness.hpp"
#include "optim/verdict/fit_quality.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Returns advice for a value that no one key changes.
std::string remedy_without_key(const Candidate& candidate) {
  if (candidate.value == "smoothing") return "fit the recording as it was before a filter, or with a shorter exposure";
  if (candidate.value == "marker_offset") return "check where the marker is attached";
  if (candidate.value == "clock_offset") return "correct `time_offset` of the recording";
  if (candidate.value == "clock_scale") return "correct the times of the recording";
  if (candidate.value == "marker_clocks")
    return candidate.key.empty()
               ? "correct the times of one group of markers, or split the recording in two with a clock for each"
               : "`pithball diagnose --refit` splits the recording in two, with a clock for each group of markers";
  if (candidate.concern == Concern::Model && candidate.item < 0 && !candidate.missing)
    return "`pithball diagnose --refit` adds " + candidate.value;
  return "`pithball diagnose` names what the model may lack";
}

/// `is_cause`: whether what was found lacking explains most of the misfit.
MisfitCause cause_of(const TestedCandidate& finding, bool is_cause) {
  const Candidate& candidate = finding.candidate;
  std::string named = candidate.name;
  if (candidate.value == "smoothing") named += formatted(" as of a mean over %.2g s", std::sqrt(finding.test.shift[0]));
  for (const std::string& other : finding.same) named += " or " + other;
  named += std::isnan(finding.explained)
               ? formatted(" would lower χ² by %.3g", finding.test.gain)
               : formatted(" explains %.0f %% of the excess of χ²", 100 * std::min(1.0, finding.explained));
  named += formatted(" (p = %.1g)", finding.adjusted);
  if (!is_cause)
    return {named + (finding.is_undecided ? ", and may explain more: its trial stopped short"
                                          : ", less than is left: the cause is another, or others besides"),
            "`pithball diagnose` names what the model may lack", "", ""};
  const bool takes_several = candidate.key.starts_with("recordings:");  // keys in two places
  if (candidate.key.empty() || takes_several) return {named, remedy_without_key(candidate), "", ""};
  const bool is_of_fit = candidate.key.starts_with("parameters:");
  const std::string effect = effect_of_remedy(candidate);
  return {named,
          "write `" + candidate.key + "`" + (is_of_fit ? " under `fit`" : "") + (effect.empty() ? "" : ": ") + effect,
          is_of_fit ? "fit: {" + candidate.key + "}" : candidate.key, is_of_fit ? "" : candidate.recording};
}

/// Returns the first of the candidates found lacking that explains enough of the misfit.
const TestedCandidate* find_telling(const Diagnosis& found) {
  for (const TestedCandidate* candidate : found.lacking())
    if (!(candidate->explained <= telling_part)) return candidate;
  return nullptr;
}

/// The fit with the wider models of its problem; none where these are unknown, or do not suit the fit: then `untested`
/// says why.
std::optional<ResolvedFit> find_wider(const ResolvedFit& fit, std::string& untested) {
  FitProblem problem = fit.problem();
  if (!problem.wider_models) return {};
  try {
    std::vector<sim::Model> models = problem.wider_models(fit.problem());
    if (models.size() != problem.scenarios.size()) return {};  // of a part of the recordings
    for (std::size_t s = 0; s < models.size(); ++s) problem.scenarios[s].model = std::move(models[s]);
    return std::optional<ResolvedFit>(std::in_place, std::move(problem));
  } catch (const InvalidArgument& error) {
    untested = std::string("forces that it does not have: ") + error.what();
    return {};
  }
}

}  // namespace

SuspectSearch find_suspect(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& errors,
                           TestedElements elements) {
  const FittedEnd end(fit, theta, errors);
  SuspectSearch found;
  const std::optional<ResolvedFit> wider = find_wider(fit, found.untested);
  const ResolvedFit& extended = wider ? *wider : fit;
  DiagnosisOptions options;
  options.level = change_alarm;
  options.elements = elements;
  const Diagnosis quick = diagnose(fit, extended, end, options);
  if (!quick.ok()) return {.untested = quick.failure};
  const TestedCandidate* suspect = find_telling(quick);
  if (!suspect) return found;
  found.cause = cause_of(*suspect, !quick.leaves_most());
  if (elements != TestedElements::None && !quick.has_untested) return found;
  // The true cause may be a single spring or particle, imitated by a value of the whole body or by the clock.
  options.elements = TestedElements::All;
  const Diagnosis whole = diagnose(fit, extended, end, options);
  if (!whole.ok()) found.untested = "single particles, springs and attachments: " + whole.failure;
  if (const TestedCandidate* better = find_telling(whole)) found.cause = cause_of(*better, !whole.leaves_most());
  return found;
}

namespace {

/// Returns the simulated times of the fitted frames, for each recording that has any.
std::vector<std::vector<double>> fitted_times(const FitProblem& problem) {
  std::vector<std::vector<double>> times;
  for (const Observation& o : problem.observations) {
    std::vector<double> mine;
    for (std::size_t f = 0; f < o.times.size(); ++f)
      if (!o.is_validation(f)) mine.push_back(o.simulated_time(f));
    if (!mine.empty()) times.push_back(std::move(mine));
  }
  return times;
}

/// Returns the ends of early parts of the recordings [s], each shorter by a factor √2.
std::vector<double> early_horizons(const FitProblem& problem) {
  const std::vector<std::vector<double>> times = fitted_times(problem);
  double horizon = 0;
  for (const std::vector<double>& mine : times) horizon = std::max(horizon, mine.back());
  const auto is_long_enough = [&] {
    return std::ranges::all_of(times, [&](const std::vector<double>& mine) {
      return std::ranges::count_if(mine, [&](double t) { return t < horizon; }) >= least_frames;
    });
  };
  std::vector<double> horizons;
  if (times.empty()) return horizons;
  for (horizon /= std::numbers::sqrt2; is_long_enough(); horizon /= std::numbers::sqrt2) horizons.push_back(horizon);
  return horizons;
}

/// Searches from both points; returns the better end.
MinimizerReport search_from_both(const ResolvedFit& fit, const Vector& one, const Vector& other,
                                 EvaluationCounts& counts) {
  MinimizerReport first = search_from(fit.problem(), fit.map(), one, counts),
                  second = search_from(fit.problem(), fit.map(), other, counts);
  const bool is_first = second.status != MinimizerStatus::Converged ||
                        (first.status == MinimizerStatus::Converged && first.cost <= second.cost);
  return is_first ? first : second;
}

/// Computes the quality of the fit of a part with these residuals.
FitQuality quality_of(const ResolvedFit& part, const Vector& r) {
  const FitProblem& problem = part.problem();
  const auto [kept, mine] = keep_samples(problem.scenarios, problem.observations, r, problem.loss);
  return compute_fit_quality(problem.scenarios, kept, mine,
                             compute_whiteness(problem.scenarios, kept, mine, count_fitted(part.map())),
                             part.map().size());
}

}  // namespace

std::optional<Diagnosis> diagnose_early(const ResolvedFit& fit, const ResolvedFit& extended, const Vector& theta,
                                        const DiagnosisOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  EvaluationCounts counts;
  for (const double horizon : early_horizons(fit.problem())) {
    const SearchStage stage{.horizon = horizon};
    const ResolvedFit part(at_stage(fit.problem(), stage)), wider(at_stage(extended.problem(), stage));
    const MinimizerReport end = search_from_both(part, part.map().initial(), theta, counts);
    BoundedErrors errors;
    if (end.status != MinimizerStatus::Converged || !find_errors(part, end.theta, {}, errors).ok()) continue;
    ++counts.tangent;
    const FitQuality quality = quality_of(part, errors.rows.r);
    if (!quality.fits()) continue;
    if (!quality.is_above()) return {};  // shorter parts would show no misfit either
    Diagnosis found = diagnose(part, wider, FittedEnd(part, end.theta, errors), options);
    counts += found.evaluations;
    if (!found.ok() || !found.names_cause()) continue;
    found.horizon = horizon;
    found.evaluations = counts;
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return found;
  }
  return {};
}

}  // namespace pithball::optim
