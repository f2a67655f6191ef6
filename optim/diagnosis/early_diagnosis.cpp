#include "optim/diagnosis/early_diagnosis.hpp"

#include <algorithm>
#include <chrono>
#include <numbers>

#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/kept_samples.hpp"
#include "optim/verdict/fit_quality.hpp"

namespace pithball::optim {
namespace {

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

/// Ends of parts of the recordings, each shorter by √2 [s].
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

/// Searches from both points; the better end.
MinimizerReport search_from_both(const ResolvedFit& fit, const Vector& one, const Vector& other,
                                 EvaluationCounts& counts) {
  MinimizerReport first = search_from(fit.problem(), fit.map(), one, counts),
                  second = search_from(fit.problem(), fit.map(), other, counts);
  const bool is_first = second.status != MinimizerStatus::Converged ||
                        (first.status == MinimizerStatus::Converged && first.cost <= second.cost);
  return is_first ? first : second;
}

/// How well a part fits with these residuals.
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
    if (!quality.is_above()) return {};  // nor will shorter ones show anything
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
