#include "optim/fit/fit_optimum.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "optim/fit/checked_intervals.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/stop.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Values tried on either side of an estimate, within a factor of two.
constexpr int values_per_side = 8;
constexpr int most_scan_rounds = 3;
/// Above this number of parameters a scan would cost more than the search did.
constexpr std::size_t most_scanned = 10;

Vector inside(const Bounds& bounds, Vector theta) {
  if (bounds.lower.size() > 0) theta = theta.cwiseMax(bounds.lower);
  if (bounds.upper.size() > 0) theta = theta.cwiseMin(bounds.upper);
  return theta;
}

double variance_of(const Vector& r, Index parameters) {
  return r.squaredNorm() / static_cast<double>(std::max<Index>(1, r.size() - parameters));
}

/// Returns δ = −J⁺r, computed without the entries on a bound and shortened so that no θ changes by more than 1.
Vector newton_step(const ScannedProblem& problem, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J) {
  Eigen::MatrixXd scaled = J;
  Vector unit = Vector::Zero(J.cols());
  for (Index k = 0; k < J.cols(); ++k) {
    const auto on = [&](const Vector& bound) { return bound.size() > 0 && theta[k] == bound[k]; };
    const double length = J.col(k).norm();
    if (length > 0 && !on(problem.bounds.lower) && !on(problem.bounds.upper)) unit[k] = 1 / length;
    scaled.col(k) *= unit[k];
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor;
  factor.setThreshold(UncertaintyOptions{}.rank_tolerance);
  const Vector step = unit.cwiseProduct(factor.compute(scaled).solve(-r));
  return step / std::max(1.0, step.lpNorm<Eigen::Infinity>());
}

/// Whether |r|² fails to decrease along the step for which J predicts a decrease.
bool breaks_promise(const ScannedProblem& problem, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J) {
  constexpr double worth_a_step = 0.25, kept = 0.25;  // fraction of s²; fraction of the predicted decrease
  const Vector step = newton_step(problem, theta, r, J), change = J * step;
  bool was_tried = false;
  for (const double part : {1.0, 0.1}) {
    const double predicted = -2 * part * r.dot(change) - part * part * change.squaredNorm();
    if (!(predicted > part * worth_a_step * variance_of(r, J.cols()))) continue;
    const double there = square_at(problem.residual, inside(problem.bounds, theta + part * step));
    if (r.squaredNorm() - there > kept * predicted) return false;
    was_tried = true;
  }
  return was_tried;
}

/// Returns the change of θ_k that corresponds to 1 % of the value.
double one_percent(const Transform& transform, double theta) {
  return transform.kind() == Transform::Kind::Log ? 0.01 : 0.01 * std::abs(theta);
}

/// Whether r hardly changes where J predicts a large change: along the value on which r depends most, over 1 % of that
/// value, or over 30 standard errors according to J if that is less.
bool is_steep_but_flat(const ScannedProblem& problem, const Vector& theta, const Vector& all,
                       const Eigen::MatrixXd& J) {
  constexpr double large = 3, many = 30, fewest = 10, flat = 0.2;
  const Index rows = problem.data_rows;
  const Vector r = all.head(rows);
  Index most = 0;
  double predicted = 0;
  for (const Index k : problem.scanned) {
    const double change = J.col(k).head(rows).norm() * one_percent(problem.transforms[k], theta[k]);
    if (change > predicted) most = k;
    predicted = std::max(predicted, change);
  }
  const auto is_flat = [&](double part) {
    const double change = part * one_percent(problem.transforms[most], theta[most]);
    Vector there = theta, changed;
    for (const double sign : {1.0, -1.0}) {
      there[most] = theta[most] + sign * change;
      if (inside(problem.bounds, there) == there) break;
    }
    return inside(problem.bounds, there) == there && problem.residual.evaluate(there, changed, nullptr).ok() &&
           (changed.head(rows) - r).norm() < flat * part * predicted;
  };
  if (predicted > large * r.norm() && is_flat(1)) return true;
  const double error = std::sqrt(variance_of(r, J.cols()));  // the change of r over one standard error
  return predicted >= fewest * error && is_flat(std::min(1.0, many * error / predicted));
}

/// The result of a scan along one entry, in ascending order.
struct Scan {
  Index entry = 0;
  std::vector<double> values, logs;  ///< physical values, and ln |r|² at them
};

/// The values of a scan about θ_k. With `span` 1 they reach from half to twice the value, or from 0 to twice the value.
std::vector<double> values_about(const ScannedProblem& problem, Index k, double theta, double span) {
  const Transform& transform = problem.transforms[k];
  const double p = transform.value(theta), size = p != 0 ? std::abs(p) : transform.scale();
  std::vector<double> values;
  for (int j = -values_per_side; j <= values_per_side; ++j) {
    const double part = span * static_cast<double>(j) / values_per_side;
    const double value = transform.kind() == Transform::Kind::Log ? p * std::exp2(part) : p + part * size;
    const double there = transform.theta(value);
    if (problem.bounds.lower.size() > 0 && there < problem.bounds.lower[k]) continue;
    if (problem.bounds.upper.size() > 0 && there > problem.bounds.upper[k]) continue;
    values.push_back(value);
  }
  return values;
}

/// Scans entry k and moves θ to the lowest |r|² found, which is stored in `best`.
Scan scan_entry(const ScannedProblem& problem, Index k, double span, Vector& theta, double& best) {
  const std::vector<double> values = values_about(problem, k, theta[k], span);
  std::vector<Vector> tried(values.size(), theta);
  std::vector<double> squares(values.size());
  constexpr double much = std::numeric_limits<double>::infinity();  // work per item, which takes a run
  sim::parallel_for(static_cast<Index>(values.size()), much, [&](Index j) {
    tried[j][k] = problem.transforms[k].theta(values[j]);
    squares[j] = problem.square(tried[j]);
  });
  Scan scan{k, {}, {}};
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!(squares[j] > 0)) continue;
    scan.values.push_back(values[j]);
    scan.logs.push_back(std::log(squares[j]));
    if (squares[j] < best) theta = tried[j];
    best = std::min(best, squares[j]);
  }
  return scan;
}

/// The scatter ω of RoughInterval. NaN with fewer than four values.
double scatter_of(const std::vector<double>& logs) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t j = 3; j < logs.size(); ++j, ++count)
    sum += std::pow(logs[j] - 3 * logs[j - 1] + 3 * logs[j - 2] - logs[j - 3], 2);
  return std::sqrt(sum / (20 * static_cast<double>(count)));
}

RoughInterval interval_of(const Scan& scan, double t, double degrees) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  RoughInterval interval{scan.entry, -infinity, infinity, scatter_of(scan.logs)};
  if (scan.logs.empty()) return interval;
  const double lowest = *std::ranges::min_element(scan.logs),
               most = lowest + std::sqrt(2) * t * interval.scatter + std::log1p(t * t / degrees);
  const auto is_good = [&](double log) { return !(log > most); };
  const auto first = std::ranges::find_if(scan.logs, is_good) - scan.logs.begin();
  const auto last = std::ranges::find_if(scan.logs.rbegin(), scan.logs.rend(), is_good) - scan.logs.rbegin();
  const auto count = static_cast<std::ptrdiff_t>(scan.logs.size());
  if (first > 0 && first < count) interval.lower = scan.values[first - 1];
  if (last > 0 && last < count) interval.upper = scan.values[count - last];
  return interval;
}

}  // namespace

double square_at(const Residual& residual, const Vector& theta) {
  Vector r;
  return residual.evaluate(theta, r, nullptr).ok() ? r.squaredNorm() : std::numeric_limits<double>::quiet_NaN();
}

bool is_rough(const ScannedProblem& problem, const Vector& theta) {
  Vector r;
  Eigen::MatrixXd J;
  if (!problem.residual.evaluate(theta, r, &J).ok() || !(r.squaredNorm() > 0)) return false;
  return breaks_promise(problem, theta, r, J) || is_steep_but_flat(problem, theta, r, J);
}

std::vector<RoughInterval> scan_rough(const ScannedProblem& problem, double t, Vector& theta) {
  double best = square_at(problem.residual, theta);
  std::vector<Scan> scans;
  for (int round = 0; round < most_scan_rounds; ++round) {
    const double before = best;
    scans.clear();
    for (const Index k : problem.scanned) scans.push_back(scan_entry(problem, k, 1, theta, best));
    if (!(best < before)) break;
  }
  const double before = best;
  for (const Index k : problem.scanned) scan_entry(problem, k, 1.0 / values_per_side, theta, best);
  if (best < before && problem.scanned.size() > 1) {  // θ has moved since the scans were made
    scans.clear();
    for (const Index k : problem.scanned) scans.push_back(scan_entry(problem, k, 1, theta, best));
  }
  const double degrees = static_cast<double>(std::max<Index>(1, problem.residual.rows() - theta.size()));
  std::vector<RoughInterval> intervals;
  for (const Scan& scan : scans) intervals.push_back(interval_of(scan, t, degrees));
  return intervals;
}

namespace {

/// Adds a search that went on from an earlier end; one that failed leaves that end as it is.
void take_end(const MinimizerReport& found, SearchEnd& end) {
  end.failed_evaluations += found.failed_evaluations;
  if (found.status == MinimizerStatus::Failed) return;
  end.status = found.status;
  end.message = found.message;
  end.theta = found.theta;
}

}  // namespace

ScannedEnd escape_rough_minimum(const ResolvedFit& fit, const ResidualScales& scales, SearchEnd end,
                                const MinimizerWatch& watch) {
  ScannedEnd found{std::move(end), {}, ""};
  SearchEnd& at = found.end;
  const FitProblem& problem = fit.problem();
  const ParameterMap& map = fit.map();
  if (!minimizers().at(problem.search.solver).uses_jacobian || at.status != MinimizerStatus::Converged) return found;
  const double degrees = static_cast<double>(std::max<Index>(1, fit.residual().all().rows() - map.size()));
  const FitProblem scaled = with_scales(problem, scales);
  const FitResidual residual(scaled, map);
  ScannedProblem scanned{residual.all(), {map.lower(), map.upper()}, {}, {}, residual.trajectories().rows(), {}};
  for (Index k = 0; k < map.size(); ++k) {
    scanned.transforms.push_back(map.info()[k].transform);
    if (!map.info()[k].is_nuisance) scanned.scanned.push_back(k);
  }
  if (scanned.scanned.empty() || scanned.scanned.size() > most_scanned) return found;
  std::mutex counting;
  scanned.square = [&](const Vector& theta) {
    const FitResidual one(scaled, map);  // a residual must not be shared between threads
    const double square = square_at(one.all(), theta);
    const std::scoped_lock lock(counting);
    at.evaluations += one.counts();
    return square;
  };
  const double scale = std::sqrt(square_at(residual.all(), at.theta) / degrees);
  if (!shows_no_scatter(problem, scales.data * scale) && is_rough(scanned, at.theta)) {
    const Vector from = at.theta;
    found.rough =
        scan_rough(scanned, student_t_quantile(problem.uncertainty.options.confidence, std::lround(degrees)), at.theta);
    if (at.theta != from) {
      const MinimizerReport again = search_from(scaled, map, at.theta, at.evaluations, watch);
      take_end(again, at);
      if (again.status == MinimizerStatus::Failed) at.theta = from;
      if (at.theta != from)
        found.summary =
            "a scan of the values around the end of the search found a better fit; the search was continued from there";
      if (!is_rough(scanned, at.theta)) found.rough.clear();
    }
  }
  at.evaluations += residual.counts();
  return found;
}

namespace {

/// The report of a prediction, in which no parameter is free.
SearchReport search_without_parameters() {
  SearchReport found;
  found.best.status = MinimizerStatus::Converged;
  found.best.message = "nothing was fitted";
  found.best.theta = Vector(0);
  return found;
}

SearchEnd end_of(const SearchReport& search) {
  SearchEnd end{search.best.status, search.best.message, search.best.theta, search.evaluations, 0};
  for (const StageReport& stage : search.stages)
    for (const FoundMinimum& minimum : stage.minima) end.failed_evaluations += minimum.found.failed_evaluations;
  return end;
}

void add_sentence(std::string sentence, std::vector<std::string>& list) {
  if (!sentence.empty()) list.push_back(std::move(sentence));
}

/// Whether L is lower at the end of another search than at the optimum, by more than rounding of χ². Both are compared
/// with the scales of the optimum: a search with other scales ends at another point of the same minimum.
bool is_lower(const ResolvedFit& fit, const MinimizerReport& other, FitOptimum& optimum) {
  const MinimizerReport& best = optimum.search.best;
  const bool is_scaled = optimum.scales.data != 1 || optimum.scales.threshold != 1;
  const FitProblem scaled = with_scales(fit.problem(), optimum.scales);
  const FitResidual residual(scaled, fit.map());
  const auto cost_at = [&](const MinimizerReport& known, const Vector& theta) {
    if (!is_scaled && known.theta == theta) return known.cost;
    const double square = square_at(residual.all(), theta);
    return std::isnan(square) ? known.cost : square / 2;
  };
  const double there = cost_at(other, other.theta), here = cost_at(best, optimum.end.theta);
  optimum.end.evaluations += residual.counts();
  // In units of the residuals' mean square, χ² is R.
  return there < here * (1 - Profile::rounding / static_cast<double>(residual.all().rows()));
}

/// Completes the end of a search: settles the scales, escapes from a rough minimum and raises values that are almost 0.
FitOptimum settled_optimum(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch) {
  SettledScales settled = settle_scales(fit, std::move(optimum.end), watch);
  optimum.scales = settled.scales;
  optimum.end = std::move(settled.end);
  add_sentence(std::move(settled.failure), optimum.notes);
  if (!fit.has_full_errors()) return optimum;
  ScannedEnd scanned = escape_rough_minimum(fit, optimum.scales, std::move(optimum.end), watch);
  optimum.rough = std::move(scanned.rough);
  add_sentence(std::move(scanned.summary), optimum.summary);
  optimum.end = lift_vanished_values(fit, optimum.scales, std::move(scanned.end));
  return optimum;
}

}  // namespace

void note_stop(SearchEnd& end) {
  const Ending stopped = stopped_on_request();
  end.status = stopped.status;
  end.message = stopped.message;
}

FitOptimum find_optimum(const ResolvedFit& fit, const SearchWatch& watch) {
  FitOptimum optimum;
  optimum.notes = fit.map().notes();
  optimum.search = fit.map().size() > 0 ? search(fit, watch) : search_without_parameters();
  optimum.end = end_of(optimum.search);
  add_sentence(optimum.search.schedule.sentence(), optimum.summary);
  add_sentence(optimum.search.start, optimum.summary);
  const MinimizerStatus status = optimum.end.status;
  if (status == MinimizerStatus::Failed || status == MinimizerStatus::Stopped || fit.map().size() == 0) return optimum;
  try {
    return settled_optimum(fit, optimum, watch.minimizer);
  } catch (const sim::Stopped&) {
    note_stop(optimum.end);
    return optimum;
  }
}

FitOptimum searched_from(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch) {
  SearchEnd& end = optimum.end;
  MinimizerReport found = search_from(fit.problem(), fit.map(), end.theta, end.evaluations, watch);
  take_end(found, end);
  if (found.status == MinimizerStatus::Failed) {
    end.status = found.status;
    end.message = found.message;
    return optimum;
  }
  optimum.search.stages.back().minima = {{0, found}};
  optimum.search.best = std::move(found);
  return settled_optimum(fit, std::move(optimum), watch);
}

FitOptimum with_ends(const ResolvedFit& fit, FitOptimum optimum, std::vector<FoundMinimum> ends,
                     const EvaluationCounts& evaluations, const MinimizerWatch& watch) {
  optimum.end.evaluations += evaluations;
  std::erase_if(ends, [](const FoundMinimum& end) { return end.found.status == MinimizerStatus::Failed; });
  if (ends.empty()) return optimum;
  const auto best = std::ranges::min_element(ends, is_better);
  const bool is_lowest = is_lower(fit, best->found, optimum);
  if (is_lowest && best->found.status == MinimizerStatus::MaxIterations && !watch.is_stopped())
    best->found = search_from(fit.problem(), fit.map(), best->found.theta, optimum.end.evaluations, watch);
  std::vector<FoundMinimum>& minima = optimum.search.stages.back().minima;
  if (is_lowest) {
    optimum.search.best = best->found;
    optimum.end.status = best->found.status;
    optimum.end.message = best->found.message;
    optimum.end.theta = best->found.theta;
  }
  for (FoundMinimum& end : ends) {
    optimum.end.failed_evaluations += end.found.failed_evaluations;
    end.start = static_cast<Index>(minima.size());
    minima.push_back(std::move(end));
  }
  std::ranges::stable_sort(minima, is_better);
  return is_lowest ? settled_optimum(fit, std::move(optimum), watch) : optimum;
}

}  // namespace pithball::optim
