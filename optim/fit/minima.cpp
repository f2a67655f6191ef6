#include "optim/fit/minima.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/intervals.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/fit/search.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// d² at a distance of three standard errors.
constexpr double another_place = 9;
/// Ends of searches closer to each other than this in every θ are one minimum, since searches end within 1e-9 of a
/// minimum, relative to their path. Needed where errors are too small as a measure of distance, as with exact motions.
constexpr double one_point = 1e-6;
/// Largest number of reported minima as good as the best; more would not be more informative.
constexpr std::size_t most_alternatives = 10;

bool is_one_point(const Vector& a, const Vector& b) {
  for (Index k = 0; k < a.size(); ++k)
    if (!(std::abs(a[k] - b[k]) <= one_point * std::max({1.0, std::abs(a[k]), std::abs(b[k])}))) return false;
  return true;
}

bool is_minimum(const FoundMinimum& minimum) { return minimum.found.status == MinimizerStatus::Converged; }

/// The best point of each alternative, with its metric.
struct KnownPlace {
  Vector theta;
  std::optional<MinimumMetric> metric;
};

bool is_at(const Vector& theta, const Vector& place, const MinimumMetric* metric) {
  return is_one_point(theta, place) || (metric && metric->squared_distance(theta - place) <= another_place);
}

}  // namespace

MinimumMetric::MinimumMetric(const Eigen::MatrixXd& rows, const std::vector<bool>& asked) {
  std::vector<Index> others;
  for (Index k = 0; k < rows.cols(); ++k) (asked[k] ? asked_ : others).push_back(k);
  Eigen::MatrixXd mine = rows(Eigen::all, asked_);
  if (!others.empty()) {
    Eigen::MatrixXd theirs = rows(Eigen::all, others);
    for (Index k = 0; k < theirs.cols(); ++k)
      if (const double length = theirs.col(k).norm(); length > 0) theirs.col(k) /= length;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor;
    factor.setThreshold(UncertaintyOptions{}.rank_tolerance);
    factor.compute(theirs);
    // In the basis of the factorization, the other parameters can compensate the first rows.
    mine.applyOnTheLeft(factor.householderQ().adjoint());
    mine = mine.bottomRows(mine.rows() - factor.rank()).eval();
  }
  const Index count = std::min(mine.rows(), mine.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> factor(mine);
  root_ = factor.matrixQR().topRows(count).triangularView<Eigen::Upper>();
}

double MinimumMetric::squared_distance(const Vector& difference) const {
  return (root_ * difference(asked_)).squaredNorm();
}

MinimumPlaces find_places(const std::vector<FoundMinimum>& minima, const MinimumRules& rules,
                          const MinimumMetric& metric, const MetricAt& metric_at) {
  MinimumPlaces found;
  found.place.assign(minima.size(), -1);
  found.places.push_back({});
  std::vector<KnownPlace> known{{rules.best, metric}};
  std::vector<std::size_t> order(minima.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t n) {
    const double cost = minima[n].found.cost;
    return std::isnan(cost) ? std::numeric_limits<double>::infinity() : cost;
  });
  for (const std::size_t n : order) {
    if (!is_minimum(minima[n])) {
      ++found.lost;
      continue;
    }
    const Vector& theta = minima[n].found.theta;
    const double delta = rules.chi_square_unit * (minima[n].found.cost - rules.best_cost);
    std::size_t at = 0;
    while (at < known.size() && !is_at(theta, known[at].theta, known[at].metric ? &*known[at].metric : nullptr)) ++at;
    if (at == known.size()) {
      if (!(delta < rules.indistinguishable) || known.size() > most_alternatives) {
        if (!found.next) found.next = MinimumPlaces::Place{n, delta, 1};
        continue;
      }
      known.push_back({theta, metric_at(n)});
      found.places.push_back({n, delta, 0});
    }
    found.place[n] = static_cast<Index>(at);
    ++found.places[at].searches;
  }
  return found;
}

namespace {

/// Returns the metric from the derivatives of all rows of the posterior, in units of their scales.
MinimumMetric metric_of(const ResolvedFit& fit, const FitRows& rows, double data_scale) {
  const Scores scores = compute_scores(rows);
  Eigen::MatrixXd stack(scores.rows.rows() + rows.prior_J.rows(), rows.parameters());
  stack << scores.rows / data_scale, rows.prior_J;
  std::vector<bool> asked;
  for (const ParameterInfo& info : fit.map().info()) asked.push_back(!info.is_nuisance);
  return {stack, asked};
}

/// Returns τ, but at least 1 if a sigma is a guess: without scatter, τ would be the size of rounding errors, whereas
/// the guess is a meaningful length.
double scale_of(const ResolvedFit& fit, double data_scale) {
  const bool is_weight = std::ranges::any_of(fit.problem().observations,
                                             [](const Observation& o) { return o.noise.origin == SigmaOrigin::Guess; });
  const double tau = std::isfinite(data_scale) && data_scale > 0 ? data_scale : 1;
  return is_weight ? std::max(1.0, tau) : tau;
}

/// Returns the minima of the problem with the final scales. Minima found with other scales are refined by further
/// searches unless they are far worse.
std::vector<FoundMinimum> settle_minima(const ResolvedFit& fit, const FitOptimum& optimum, MinimumRules& rules,
                                        const MinimumMetric& metric, EvaluationCounts& counts,
                                        const MinimizerWatch& watch) {
  std::vector<FoundMinimum> minima = optimum.search.stages.back().minima;
  rules.best_cost = minima.front().found.cost;
  const ResidualScales& scales = optimum.scales;
  if (scales.data == 1 && scales.threshold == 1) return minima;
  constexpr double far_worse = 10;  // times `indistinguishable`; other scales change costs by less
  const FitProblem scaled = with_scales(fit.problem(), scales);
  const double first = rules.best_cost;
  rules.best_cost = search_from(scaled, fit.map(), optimum.end.theta, counts, watch).cost;
  for (FoundMinimum& minimum : minima) {
    const Vector from = minimum.found.theta;
    if (!is_minimum(minimum) || is_at(from, rules.best, &metric)) {
      minimum.found.cost = rules.best_cost;
    } else if (rules.chi_square_unit / (scales.data * scales.data) * (minimum.found.cost - first) <
               far_worse * rules.indistinguishable) {
      minimum.found = search_from(scaled, fit.map(), from, counts, watch);
    } else {
      minimum.found.cost /= scales.data * scales.data;
    }
  }
  return minima;
}

/// "stiffness = 10.2 N/m, charge = 3e-09 C, …": the requested values.
std::string say_values(const ParameterMap& map, const Vector& theta) {
  constexpr int most_values = 4;
  const Vector p = map.physical(theta);
  std::string text;
  int count = 0;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.is_nuisance) continue;
    if (++count > most_values) return text + ", …";
    text +=
        (count == 1 ? "" : ", ") + info.name + formatted(" = %.4g", p[k]) + (info.unit.empty() ? "" : " " + info.unit);
  }
  return text;
}

std::string say_places(const ParameterMap& map, const std::vector<FoundMinimum>& minima, const MinimumPlaces& found) {
  const std::size_t all = minima.size();
  std::string text = formatted("%lld of %zu searches ended at the reported minimum",
                               static_cast<long long>(found.places.front().searches), all);
  const std::size_t listed = std::min(found.places.size(), 1 + listed_alternatives);
  for (std::size_t k = 1; k < listed; ++k)
    text += formatted("; %lld ended at another, equally good (", static_cast<long long>(found.places[k].searches)) +
            say_delta(found.places[k].delta_chi_square) + "), where " +
            say_values(map, minima[found.places[k].minimum].found.theta);
  if (listed < found.places.size()) text += formatted("; others at %zu more", found.places.size() - listed);
  if (found.next)
    text += formatted("; the next best has Δχ² = %.3g, at ", found.next->delta_chi_square) +
            say_values(map, minima[found.next->minimum].found.theta);
  if (found.lost > 0) text += formatted("; %lld stopped before a minimum", static_cast<long long>(found.lost));
  return text;
}

}  // namespace

ComparedMinima compare_minima(const ResolvedFit& fit, const FitOptimum& optimum, const WholeRun& run,
                              const AllErrors& errors, const MinimizerWatch& watch) {
  ComparedMinima compared;
  if (optimum.search.stages.back().minima.size() < 2) return compared;
  const double tau = scale_of(fit, errors.posterior.data_scale), threshold = optimum.scales.threshold;
  const double t = errors.posterior.formal.scale.quantile, q = errors.robust.mean_ratio;
  FitRows rows;
  if (!std::isfinite(t) || !make_fit_rows(fit, optimum.end.theta, run.r, run.J, threshold, rows).ok())
    return compare_costs(optimum);
  const MinimumMetric metric = metric_of(fit, rows, tau);
  MinimumRules rules{.best = optimum.end.theta, .indistinguishable = t * t};
  rules.chi_square_unit = 2 * std::pow(optimum.scales.data / tau, 2) / (q > 1 ? q * q : 1);
  const std::vector<FoundMinimum> minima = settle_minima(fit, optimum, rules, metric, compared.evaluations, watch);
  std::vector<std::pair<std::size_t, BoundedErrors>> judged;
  const MinimumPlaces found = find_places(minima, rules, metric, [&](std::size_t n) -> std::optional<MinimumMetric> {
    const Vector& theta = minima[n].found.theta;
    Vector r;
    Eigen::MatrixXd J;
    FitRows there;
    ++compared.evaluations.tangent;
    if (!fit.residual().trajectories().evaluate(theta, r, &J).ok() ||
        !make_fit_rows(fit, theta, r, J, threshold, there).ok())
      return std::nullopt;
    MinimumMetric of_it = metric_of(fit, there, tau);
    judged.emplace_back(n, compute_bounded_errors(fit, theta, std::move(there), optimum.scales.data));
    return of_it;
  });
  for (std::size_t k = 1; k < found.places.size(); ++k) {
    const std::size_t n = found.places[k].minimum;
    const Vector& theta = minima[n].found.theta;
    std::vector<FittedParameter> table = tabulate(fit.map(), theta);
    for (const auto& [minimum, its] : judged)
      if (minimum == n) table = tabulate(fit.map(), theta, its.errors.parameters, its.sides);
    compared.alternatives.push_back({theta,
                                     with_identifiability(fit.map(), std::move(table)),
                                     {say_values(fit.map(), theta), found.places[k].delta_chi_square,
                                      found.places[k].searches, minima[n].is_reversal != minima.front().is_reversal}});
  }
  compared.places = found.place;
  compared.summary = say_places(fit.map(), minima, found);
  return compared;
}

ComparedMinima compare_costs(const FitOptimum& optimum) {
  constexpr double equal_part = 1e-3;
  ComparedMinima compared;
  const std::vector<FoundMinimum>& minima = optimum.search.stages.back().minima;
  if (minima.size() < 2) return compared;
  const double best = minima.front().found.cost;
  std::size_t same = 0;
  while (same < minima.size() && minima[same].found.cost <= best * (1 + equal_part)) ++same;
  compared.summary = formatted("%zu of %zu searches ended at the best cost, %.6g", same, minima.size(), best);
  if (same < minima.size()) compared.summary += formatted("; the next ended at %.6g", minima[same].found.cost);
  compared.summary += "; without standard errors, minima are compared by cost only";
  return compared;
}

}  // namespace pithball::optim
