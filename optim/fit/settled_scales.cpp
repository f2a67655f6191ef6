#include "optim/fit/settled_scales.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit/resolved_fit.hpp"

namespace pithball::optim {
namespace {

constexpr int most_rounds = 3;
/// Scales that change by less than this part are settled: estimates then move by a small part of their errors.
constexpr double settled_scale = 0.01;
/// A threshold is a choice; where exactly it lies matters less.
constexpr double settled_threshold = 0.05;

/// Where recordings show no scatter, sigma is only a weight: residuals of rounding are no scale of outliers.
bool shows_scatter(const FitProblem& problem) {
  return std::ranges::none_of(problem.observations,
                              [](const Observation& o) { return o.noise.origin == SigmaOrigin::Guess; });
}

ResidualScales find_scales(const ResolvedFit& fit, FitRows& rows, const ResidualScales& before) {
  const FitProblem& problem = fit.problem();
  ResidualScales scales = before;
  if (problem.loss.kind != RobustLoss::Kind::None) {
    const double found = median_scale(rows.r);
    if (found > 0) scales.threshold = shows_scatter(problem) ? found : std::max(1.0, found);
    rows.loss.threshold = problem.loss.threshold * scales.threshold;
  }
  if (fit.residual().has_priors()) {
    const double found =
        compute_posterior(rows, compute_scores(rows), fit.map().names(), problem.uncertainty.options).data_scale;
    if (found > 0 && std::isfinite(found)) scales.data = found;
  }
  return scales;
}

}  // namespace

Evaluation make_fit_rows(const ResolvedFit& fit, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J,
                         double threshold_scale, FitRows& rows) {
  const FitProblem& problem = fit.problem();
  rows.r = r;
  rows.J = J;
  rows.loss = problem.loss;
  rows.loss.threshold *= threshold_scale;
  rows.order = find_row_order(problem.scenarios, problem.observations);
  rows.prior.resize(0);
  rows.prior_J.resize(0, J.cols());
  return fit.residual().has_priors() ? fit.residual().priors().evaluate_widths(theta, rows.prior, rows.prior_J)
                                     : Evaluation{};
}

FitProblem with_scales(FitProblem problem, const ResidualScales& scales) {
  for (Observation& observation : problem.observations) observation.noise.sigma *= scales.data;
  problem.loss.threshold *= scales.threshold / scales.data;
  return problem;
}

SettledScales settle_scales(const ResolvedFit& fit, SearchEnd end, const MinimizerWatch& watch) {
  const FitProblem& problem = fit.problem();
  SettledScales settled{{}, std::move(end), ""};
  const bool depends = fit.residual().has_priors() || problem.loss.kind != RobustLoss::Kind::None;
  if (!depends || problem.uncertainty.options.absolute_sigma || fit.map().size() > problem.uncertainty.full_limit)
    return settled;
  SearchEnd& at = settled.end;
  for (int round = 0; round < most_rounds; ++round) {
    Vector r;
    Eigen::MatrixXd J;
    FitRows rows;
    if (!fit.residual().trajectories().evaluate(at.theta, r, &J).ok() ||
        !make_fit_rows(fit, at.theta, r, J, settled.scales.threshold, rows).ok())
      break;
    const ResidualScales next = find_scales(fit, rows, settled.scales);
    if (std::abs(std::log(next.data / settled.scales.data)) < settled_scale &&
        std::abs(std::log(next.threshold / settled.scales.threshold)) < settled_threshold)
      break;
    const MinimizerReport again = search_from(with_scales(problem, next), fit.map(), at.theta, at.evaluations, watch);
    at.failed_evaluations += again.failed_evaluations;
    if (again.status == MinimizerStatus::Failed) {
      settled.failure = "the search with the estimated residual scale failed: " + again.message;
      break;
    }
    settled.scales = next;
    at.theta = again.theta;
    at.status = again.status;
    at.message = again.message;
    if (again.status == MinimizerStatus::Stopped) break;
  }
  return settled;
}

}  // namespace pithball::optim
