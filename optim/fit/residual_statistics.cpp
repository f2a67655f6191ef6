#include "optim/fit/residual_statistics.hpp"

#include "optim/fit/resolved_fit.hpp"
#include "optim/uncertainty/kept_samples.hpp"

namespace pithball::optim {
namespace {

/// Numbers of the recordings with fitted samples: those of `ResidualStatistics::whiteness`.
std::vector<std::size_t> fitted_recordings(const ResolvedFit& fit) {
  const TrajectoryResidual& rows = fit.residual().trajectories();
  std::vector<std::size_t> fitted;
  for (std::size_t s = 0; s < fit.problem().observations.size(); ++s)
    if (rows.first_row(s + 1) > rows.first_row(s)) fitted.push_back(s);
  return fitted;
}

}  // namespace

ResidualStatistics compute_residual_statistics(const ResolvedFit& fit, const WholeRun& run,
                                               const ResidualScales& scales, std::size_t undetermined) {
  ResidualStatistics statistics;
  if (!run.evaluation.ok() || run.r.size() == 0) return statistics;
  const FitProblem& problem = fit.problem();
  RobustLoss loss = problem.loss;
  loss.threshold *= scales.threshold;
  const auto [observations, r] = keep_samples(problem.scenarios, problem.observations, run.r, loss);
  statistics.whiteness = compute_whiteness(problem.scenarios, observations, r, count_fitted(fit.map()));
  statistics.quality = compute_fit_quality(problem.scenarios, observations, r, statistics.whiteness,
                                           fit.map().size() - static_cast<Index>(undetermined),
                                           problem.uncertainty.options.absolute_sigma);
  const std::vector<std::size_t> fitted = fitted_recordings(fit);
  for (std::size_t n = 0; n < fitted.size(); ++n)
    statistics.whiteness[n].holds_error = !problem.value_errors.empty() && !problem.value_errors[fitted[n]].empty();
  return statistics;
}

std::vector<std::string> say_residuals(const ResolvedFit& fit, const WholeRun& run,
                                       const ResidualStatistics& statistics) {
  std::vector<std::string> said;
  if (!run.evaluation.ok() || run.r.size() == 0) return said;  // said elsewhere; nothing was fitted
  const TrajectoryResidual& rows = fit.residual().trajectories();
  const std::vector<std::size_t> fitted = fitted_recordings(fit);
  for (std::size_t n = 0; n < fitted.size(); ++n) {
    const std::size_t s = fitted[n];
    const Index count = rows.first_row(s + 1) - rows.first_row(s);
    // Of an exact motion, residuals are the rounding of one run against another: no noise, and nothing to be said.
    const double square = run.r.segment(rows.first_row(s), count).squaredNorm();
    if (fit.problem().observations[s].noise.origin == SigmaOrigin::Guess && square < static_cast<double>(count))
      continue;
    for (const std::string& warning : statistics.whiteness[n].warnings()) said.push_back(warning);
  }
  for (const std::string& note : statistics.quality.notes()) said.push_back(note);
  return said;
}

}  // namespace pithball::optim
