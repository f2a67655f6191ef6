#include "optim/fit/run_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "optim/fit/problem.hpp"
#include "optim/uncertainty/whiteness.hpp"
#include "sim/core/text.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::optim {
namespace {

/// Indices of the recordings with fitted samples, in the order of `ResidualStatistics::whiteness`.
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
  const RobustLoss loss = problem.loss.scaled(scales.threshold);
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
  if (!run.evaluation.ok() || run.r.size() == 0) return said;  // reported elsewhere; nothing was fitted
  const TrajectoryResidual& rows = fit.residual().trajectories();
  const std::vector<std::size_t> fitted = fitted_recordings(fit);
  for (std::size_t n = 0; n < fitted.size(); ++n) {
    const std::size_t s = fitted[n];
    const Index count = rows.first_row(s + 1) - rows.first_row(s);
    // Residuals of an exact motion are rounding differences between two runs: they are not noise, and there is nothing
    // to report.
    const double square = run.r.segment(rows.first_row(s), count).squaredNorm();
    if (fit.problem().observations[s].noise.origin == SigmaOrigin::Guess && square < static_cast<double>(count))
      continue;
    for (const std::string& warning : statistics.whiteness[n].warnings()) said.push_back(warning);
  }
  for (const std::string& note : statistics.quality.notes()) said.push_back(note);
  return said;
}

namespace {

/// Largest deviation of a frame from even spacing, as a fraction of the interval: a phase error of a third of a radian,
/// which is hidden by noise of a third of the motion.
constexpr double even_part = 0.05;
/// Path length of one oscillation in units of its amplitude.
constexpr double to_and_fro = 4;

/// Simulated times of the fitted frames, one list for each recording with three or more.
std::vector<std::vector<double>> fitted_times(const std::vector<Observation>& observations) {
  std::vector<std::vector<double>> all;
  for (const Observation& o : observations) {
    std::vector<double> times;
    for (std::size_t f = 0; f < o.times.size(); ++f)
      if (!o.is_validation(f)) times.push_back(o.simulated_time(f));
    if (times.size() > 2) all.push_back(std::move(times));
  }
  return all;
}

double find_common_interval(const std::vector<std::vector<double>>& recordings) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& times : recordings)
    for (std::size_t f = 1; f < times.size(); ++f) least = std::min(least, times[f] - times[f - 1]);
  // Times written with few digits give the interval only on average.
  double span = 0, count = 0;
  for (const std::vector<double>& times : recordings)
    for (std::size_t f = 1; f < times.size(); ++f) {
      span += times[f] - times[f - 1];
      count += std::round((times[f] - times[f - 1]) / least);
    }
  const double interval = span / count;
  for (const std::vector<double>& times : recordings)
    for (std::size_t f = 1; f < times.size(); ++f) {
      const double intervals = (times[f] - times[f - 1]) / interval;
      if (!(std::abs(intervals - std::round(intervals)) < even_part)) return std::numeric_limits<double>::quiet_NaN();
    }
  return interval;
}

}  // namespace

MotionMeter::MotionMeter(const FitProblem& problem) : sums_(problem.observations.size()) {
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    const Observation& o = problem.observations[s];
    for (std::size_t f = 0; f < o.times.size(); ++f)
      if (!o.is_validation(f)) sums_[s].until = o.simulated_time(f);
  }
}

ShowStep MotionMeter::watching(const ShowStep& show) {
  return [this, &show](std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at) {
    Sums& sums = sums_[recording];
    const sim::State& state = at.state();
    if (at.n() == 0)
      sums = {.until = sums.until, .begin = state.x, .shift = Points::Zero(3, state.x.cols()), .last = state};
    if (state.t <= sums.until && state.x.cols() == sums.begin.cols()) {
      const Points way = state.x - sums.begin;
      sums.steps += 1;
      sums.squares += way.squaredNorm();
      const double moved = (state.x - sums.last.x).norm();
      if (moved > 0) sums.speeds += moved * moved / ((state.t - sums.last.t) * (state.t - sums.last.t));
      sums.path += moved;
      sums.last = state;
      sums.farthest = std::max(sums.farthest, way.norm());
      sums.shift += way;
    }
    if (show) show(recording, fitted, at);
  };
}

std::vector<double> MotionMeter::frequencies() const {
  std::vector<double> all;
  for (const Sums& sums : sums_) {
    const double spread = sums.steps > 0 ? sums.squares - sums.shift.squaredNorm() / sums.steps : 0;
    const bool is_periodic = sums.path > to_and_fro * sums.farthest;
    all.push_back(is_periodic && spread > 0 ? std::sqrt(sums.speeds / spread) / (2 * std::numbers::pi) : 0);
  }
  return all;
}

std::string MotionAliases::sentence() const {
  return formatted(
      "aliases cannot be excluded: the fitted motion oscillates %.2g times a second and frames are taken %.2g "
      "times a second",
      frequency, 1 / interval);
}

MotionAliases find_motion_aliases(const std::vector<Observation>& observations,
                                  const std::vector<double>& frequencies) {
  MotionAliases aliases;
  const std::vector<std::vector<double>> times = fitted_times(observations);
  if (times.empty() || frequencies.empty()) return aliases;
  aliases.frequency = *std::ranges::max_element(frequencies);
  aliases.interval = find_common_interval(times);
  return aliases;
}

}  // namespace pithball::optim
