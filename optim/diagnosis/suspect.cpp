#include "optim/diagnosis/suspect.hpp"

#include <algorithm>
#include <cmath>

#include "optim/diagnosis/diagnosis.hpp"
#include "optim/diagnosis/fitted_end.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/kept_samples.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// What to do about a value that no key changes.
std::string remedy_without_key(const Candidate& candidate) {
  if (candidate.value == "smoothing") return "fit the recording as it was before a filter, or with a shorter exposure";
  if (candidate.value == "marker_offset") return "check where the marker is attached";
  return "`pithball diagnose` names what the model may lack";
}

MisfitCause cause_of(const TestedCandidate& finding) {
  const Candidate& candidate = finding.candidate;
  std::string named = candidate.name;
  if (candidate.value == "smoothing") named += formatted(" as of a mean over %.2g s", std::sqrt(finding.test.shift[0]));
  for (const std::string& other : finding.same) named += " or " + other;
  named += std::isnan(finding.explained)
               ? formatted(" would lower χ² by %.3g", finding.test.gain)
               : formatted(" explains %.0f %% of the excess of χ²", 100 * std::min(1.0, finding.explained));
  named += formatted(" (p = %.1g)", finding.adjusted);
  if (candidate.key.empty()) return {named, remedy_without_key(candidate), "", ""};
  return {named, "write `" + candidate.key + "`", candidate.key, candidate.recording};
}

/// What of these is significant and explains enough.
const TestedCandidate* find_telling(const Diagnosis& found) {
  for (const TestedCandidate* candidate : found.lacking())
    if (!(candidate->explained <= telling_part)) return candidate;
  return nullptr;
}

/// Simulated times of the fitted frames of each recording that is fitted.
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

/// Whether a part of the recordings has enough frames of each.
bool is_long_enough(const std::vector<std::vector<double>>& times, double horizon) {
  return std::ranges::all_of(times, [&](const std::vector<double>& mine) {
    return std::ranges::count_if(mine, [&](double t) { return t < horizon; }) >= least_frames;
  });
}

/// Searches from both points; the better end.
MinimizerReport search_from_both(const ResolvedFit& fit, const Vector& one, const Vector& other,
                                 const MinimizerWatch& watch) {
  EvaluationCounts unused;
  MinimizerReport first = search_from(fit.problem(), fit.map(), one, unused, watch),
                  second = search_from(fit.problem(), fit.map(), other, unused, watch);
  const bool is_first = second.status != MinimizerStatus::Converged ||
                        (first.status == MinimizerStatus::Converged && first.cost <= second.cost);
  return is_first ? first : second;
}

}  // namespace

std::optional<MisfitCause> find_suspect(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& errors) {
  const FittedEnd end(fit, theta, errors);
  DiagnosisOptions options;
  options.level = change_alarm;
  options.elements = TestedElements::Few;
  const Diagnosis quick = diagnose(fit, fit, end, options);
  const TestedCandidate* suspect = find_telling(quick);
  if (!suspect) return {};
  if (!quick.has_untested) return cause_of(*suspect);
  // A single spring or particle may be the true cause, for which a value of the whole body or its clock stands.
  options.elements = TestedElements::All;
  const Diagnosis whole = diagnose(fit, fit, end, options);
  const TestedCandidate* better = find_telling(whole);
  return cause_of(better ? *better : *suspect);
}

std::optional<MisfitCause> find_early_suspect(const ResolvedFit& fit, const Vector& theta,
                                              const MinimizerWatch& watch) {
  const std::vector<std::vector<double>> times = fitted_times(fit.problem());
  double horizon = 0;
  for (const std::vector<double>& mine : times) horizon = std::max(horizon, mine.back());
  for (horizon /= M_SQRT2; is_long_enough(times, horizon) && !watch.is_stopped(); horizon /= M_SQRT2) {
    const ResolvedFit part(at_stage(fit.problem(), {.horizon = horizon}));
    const MinimizerReport end = search_from_both(part, part.map().initial(), theta, watch.silent());
    BoundedErrors errors;
    if (end.status != MinimizerStatus::Converged || !find_errors(part, end.theta, {}, errors).ok()) continue;
    const FitProblem& early = part.problem();
    const auto [kept, r] = keep_samples(early.scenarios, early.observations, errors.rows.r, early.loss);
    const FitQuality quality =
        compute_fit_quality(early.scenarios, kept, r,
                            compute_whiteness(early.scenarios, kept, r, count_fitted(part.map())), part.map().size());
    if (!quality.fits()) continue;
    if (!quality.is_above()) return {};
    if (std::optional<MisfitCause> suspect = find_suspect(part, end.theta, errors)) {
      suspect->reason = formatted("within the first %.2g s, ", horizon) + suspect->reason;
      return suspect;
    }
  }
  return {};
}

}  // namespace pithball::optim
