#include "optim/fit/scaled_fit.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/fit/problem.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/dense.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr int most_rounds = 3;
/// A scale is settled if its relative change is below this: estimates then move by a small part of their errors.
constexpr double settled_scale = 0.01;
/// The same for the threshold, whose exact value matters less because it is a matter of choice.
constexpr double settled_threshold = 0.05;

/// Whether the recordings have scatter. Otherwise sigma is only a weight, and residuals are rounding errors, which are
/// no scale for outliers.
bool shows_scatter(const FitProblem& problem) {
  return std::ranges::none_of(problem.observations,
                              [](const Observation& o) { return o.noise.origin == SigmaOrigin::Guess; });
}

ResidualScales find_scales(const ResolvedFit& fit, FitRows& rows, const ResidualScales& before) {
  const FitProblem& problem = fit.problem();
  ResidualScales scales = before;
  if (problem.loss.is_robust()) {
    const double found = median_scale(rows.r);
    if (found > 0) scales.threshold = shows_scatter(problem) ? found : std::max(1.0, found);
    rows.loss = problem.loss.scaled(scales.threshold);
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
  rows.loss = rows.loss.scaled(threshold_scale);
  rows.order = find_row_order(problem.scenarios, problem.observations);
  rows.prior.resize(0);
  rows.prior_J.resize(0, J.cols());
  return fit.residual().has_priors() ? fit.residual().priors().evaluate_widths(theta, rows.prior, rows.prior_J)
                                     : Evaluation{};
}

FitProblem with_scales(FitProblem problem, const ResidualScales& scales) {
  for (Observation& observation : problem.observations) {
    observation.noise.sigma *= scales.data;
    observation.noise.thermal_energy *= scales.data * scales.data;
    observation.noise.diffusion *= scales.data * scales.data;
  }
  problem.loss = problem.loss.scaled(scales.threshold / scales.data);
  return problem;
}

SettledScales settle_scales(const ResolvedFit& fit, SearchEnd end, const MinimizerWatch& watch) {
  const FitProblem& problem = fit.problem();
  SettledScales settled{{}, std::move(end), ""};
  const bool depends = fit.residual().has_priors() || problem.loss.is_robust();
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

namespace {

/// Returns the decrease of a quadratic function with gradient g and inverse curvature C to its minimum with some values
/// held:
///    g_fᵀ (C_ff − C_fh C_hh⁺ C_hf) g_f.
/// (Setting their gradient to 0 but leaving them free would overestimate it, without limit as they become correlated.)
double decrease_without(const Eigen::MatrixXd& C, Vector g, const std::vector<Index>& held) {
  g(held).setZero();
  const Vector step = C * g;
  if (held.empty()) return g.dot(step);
  const Eigen::MatrixXd among_held = C(held, held);
  const Vector of_held = step(held);
  const Vector forces = among_held.completeOrthogonalDecomposition().solve(of_held);
  return std::max(0.0, g.dot(step) - of_held.dot(forces));
}

}  // namespace

ScaledFit::ScaledFit(const IntervalBasis& basis, const std::vector<FittedParameter>& table)
    : rows_(basis.errors.rows), theta_(basis.optimum.end.theta), scale_(basis.errors.errors.posterior.data_scale) {
  const ResolvedFit& fit = basis.fit;
  if (!(std::isfinite(scale_) && scale_ > 0)) return;
  problem_ = with_scales(fit.problem(), {scale_, basis.optimum.scales.threshold});
  const FitCurvature H(rows_, basis.errors.scores, basis.errors.errors.posterior);
  if (!H.ok()) return;
  inverse_ = H.inverse();
  Vector prior, data = rows_.r;
  if (!fit.residual().priors().evaluate(theta_, prior, &prior_J_).ok()) return;
  weigh_samples(rows_.loss, rows_.order.samples, data, nullptr);
  square_ = data.squaredNorm() / (scale_ * scale_) + prior.squaredNorm();
  Vector all(data.size() + prior.size());
  all << data / scale_, prior;
  std::vector<Index> held;
  for (Index k = 0; k < theta_.size(); ++k)  // a value consistent with 0 may have its minimum below 0
    if (table[k].interval.at_bound || table[k].estimate < table[k].standard_error) held.push_back(k);
  left_ = decrease_without(inverse_, transposed_all(all), held);
  ok_ = true;
}

Vector ScaledFit::transposed(const Vector& data, const Vector& prior) const {
  Vector g = rows_.J.transpose() * data / scale_;
  if (prior.size() > 0) g += prior_J_.transpose() * prior;
  return g;
}

Vector ScaledFit::transposed_all(const Vector& w) const {
  const Index R = rows_.r.size();
  Vector r = rows_.r;
  Eigen::MatrixXd data = w.head(R);  // the blocks of a loss are symmetric
  weigh_samples(rows_.loss, rows_.order.samples, r, &data);
  return transposed(data.col(0), w.tail(w.size() - R));
}

Optimum ScaledFit::about(const FitResidual& residual) const {
  Optimum optimum{residual.all(), theta_, square_, inverse_, {residual.map().lower(), residual.map().upper()}};
  for (const ParameterInfo& info : residual.map().info()) optimum.transforms.push_back(info.transform);
  return optimum;
}

namespace {

constexpr std::uint64_t bootstrap_seed = 1;
/// Streams of random numbers for one seed, in addition to those of BlockSigns.
enum DrawnBy : std::uint64_t { PriorMeans = 311, HeldErrors };
/// Decrease of χ², in variances of a residual, below which no further step is made: the remaining error is at most a
/// tenth of a standard error, and usually far less.
constexpr double last_step = 0.1;
constexpr int most_steps = 6;
/// Fraction of the draws that may fail.
constexpr double most_failures = 0.1;

/// One resampled recording and the fit to it.
class Draw {
 public:
  Draw(const ScaledFit& scaled, const ParameterMap& map, double degrees_factor, const BlockSigns& signs, Index draw)
      : scaled_(scaled), residual_(scaled.problem(), map), square_(scaled.about(residual_).square) {
    const Vector fitted = scaled.residuals();
    const Vector drawn = degrees_factor * signs.resample(fitted, bootstrap_seed, draw);
    shift_ = drawn - fitted;
    Eigen::MatrixXd unused;
    residual_.priors().evaluate(scaled.theta(), prior_shift_, &unused);
    prior_shift_ *= -1;
    const sim::CounterNoise means(bootstrap_seed, PriorMeans);
    for (Index k = 0; k < prior_shift_.size(); ++k) prior_shift_[k] += means.normal(draw, k, 0);
  }

  /// θ of the fit; empty: it failed.
  Vector fit() {
    lowest_.found_by = "a fit to a resampled recording";
    const Bounds bounds{residual_.map().lower(), residual_.map().upper()};
    Vector theta = scaled_.theta();
    const Vector at_start = psi(scaled_.residuals() + shift_);
    Vector prior, g;
    Eigen::MatrixXd prior_J;
    residual_.priors().evaluate(theta, prior, &prior_J);
    g = scaled_.transposed(at_start, prior + prior_shift_);
    for (int n = 0; n < most_steps; ++n) {
      Vector next = theta - scaled_.inverse() * g;
      next = next.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
      const double promised = -g.dot(next - theta);
      theta = next;
      if (n > 0 && promised <= last_step) return theta;
      if (!gradient(theta, g)) return {};
    }
    return {};
  }
  EvaluationCounts counts() const { return residual_.counts(); }
  /// The lowest point reached, by χ² of the original recording.
  const BetterPoint& lowest() const { return lowest_; }

 private:
  /// ρ′(|r_j|²) r_j of each sample.
  Vector psi(Vector r) const {
    const RobustLoss& loss = scaled_.problem().loss;
    if (!loss.is_robust()) return r;
    const std::vector<Index> samples = residual_.trajectories().samples();
    for (std::size_t j = 0; j + 1 < samples.size(); ++j) {
      auto sample = r.segment(samples[j], samples[j + 1] - samples[j]);
      sample *= loss.derivative(sample.squaredNorm());
    }
    return r;
  }
  void look_for_lower(const Vector& theta, const Vector& r, const Vector& prior) {
    const RobustLoss& loss = scaled_.problem().loss;
    const std::vector<Index> samples = residual_.trajectories().samples();
    double square = prior.squaredNorm();
    for (std::size_t j = 0; j + 1 < samples.size(); ++j)
      square += loss.value(r.segment(samples[j], samples[j + 1] - samples[j]).squaredNorm());
    if (!(square - square_ < lowest_.rise)) return;
    lowest_.rise = square - square_;
    lowest_.theta = theta;
  }
  bool gradient(const Vector& theta, Vector& g) {
    std::unique_ptr<Linearization> at;
    if (!residual_.trajectories().linearize(theta, at).ok()) return false;
    if (!at->vjp(psi(at->residual() + shift_), g).ok()) return false;
    Vector prior;
    Eigen::MatrixXd prior_J;
    if (!residual_.priors().evaluate(theta, prior, &prior_J).ok()) return false;
    look_for_lower(theta, at->residual(), prior);
    if (prior.size() > 0) g += prior_J.transpose() * (prior + prior_shift_);
    return g.allFinite();
  }

  const ScaledFit& scaled_;
  FitResidual residual_;
  double square_;  // |r|² at the estimates
  BetterPoint lowest_;
  Vector shift_, prior_shift_;
};

/// A root of the covariance that errors of held values add, P×P.
Eigen::MatrixXd added_root(const Uncertainty& u) {
  Eigen::MatrixXd added = u.covariance - u.scale.s * u.scale.s * u.root * u.root.transpose();
  for (Index k = 0; k < added.rows(); ++k) {
    if (u.identifiable[k]) continue;
    added.row(k).setZero();
    added.col(k).setZero();
  }
  const sim::Spectrum spectrum = sim::symmetric_spectrum(added);
  return spectrum.vectors * spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// Returns the error of value k estimated from differences between recordings, divided by that estimated from frames.
double stretch_of(const AllErrors& errors, Index k, double confidence) {
  const ParameterErrors& own = errors.parameters[k];
  if (own.widest != ErrorKind::Jackknife && own.widest != ErrorKind::RandomEffects) return 1;
  double frames = errors.posterior.formal.half_width[k];
  if (std::isfinite(own.robust))
    frames = std::max(frames, own.robust * student_t_quantile(confidence, errors.robust.degrees_of(k)));
  return std::max(1.0, own.half_width / frames);
}

/// Returns the estimates of all values from the draws whose fit succeeded; sets the cost and the lowest point.
std::vector<Vector> make_draws(const IntervalBasis& basis, const ScaledFit& scaled, ResampledIntervals& resampled) {
  const BoundedErrors& judged = basis.errors;
  const Uncertainty& u = judged.errors.posterior.formal;
  const BlockSigns signs(judged.rows.order, judged.errors.robust.autocorrelation);
  const double degrees = static_cast<double>(std::max(1L, u.scale.degrees_of_freedom));
  const double factor = std::sqrt(static_cast<double>(judged.rows.r.size()) / degrees);
  const Eigen::MatrixXd root = added_root(u);
  const sim::CounterNoise held(bootstrap_seed, HeldErrors);
  std::vector<Vector> found(bootstrap_draws);
  std::vector<EvaluationCounts> made(bootstrap_draws);
  std::vector<BetterPoint> lowest(bootstrap_draws);
  constexpr double much = std::numeric_limits<double>::infinity();  // work per item, which takes at least one run
  sim::parallel_for(bootstrap_draws, much, [&](Index n) {
    if (basis.watch.is_stopped()) return;
    Draw draw(scaled, basis.fit.map(), factor, signs, n);
    Vector theta = draw.fit();
    made[n] = draw.counts();
    lowest[n] = draw.lowest();
    if (theta.size() == 0) return;
    Vector z(root.cols());
    for (Index k = 0; k < z.size(); ++k) z[k] = held.normal(n, k, 0);
    found[n] = theta + root * z;
  });
  for (const EvaluationCounts& one : made) resampled.evaluations += one;
  resampled.lowest = *std::ranges::min_element(lowest, {}, &BetterPoint::rise);
  std::erase_if(found, [](const Vector& theta) { return theta.size() == 0; });
  return found;
}

}  // namespace

ResampledIntervals resample_intervals(const IntervalBasis& basis, const std::vector<FittedParameter>& table) {
  ResampledIntervals resampled{std::vector<std::optional<PercentileEnds>>(table.size()), {}, "", {}};
  const ScaledFit scaled(basis, table);
  if (!scaled.ok()) {
    resampled.failure = "intervals are not resampled: the residuals are all zero";
    return resampled;
  }
  const std::vector<Vector> draws = make_draws(basis, scaled, resampled);
  const auto failed = static_cast<double>(bootstrap_draws - static_cast<Index>(draws.size()));
  if (failed > most_failures * static_cast<double>(bootstrap_draws)) {
    resampled.failure =
        formatted("intervals are those of the linearized problem: %g of %g resampled recordings could not be fitted",
                  failed, static_cast<double>(bootstrap_draws));
    return resampled;
  }
  const Vector& theta = basis.optimum.end.theta;
  const double confidence = basis.fit.problem().uncertainty.options.confidence;
  for (Index k = 0; k < basis.fit.map().size(); ++k) {
    const FittedParameter& p = table[k];
    if (!p.identifiable || basis.errors.held[k] || !std::isfinite(p.standard_error)) continue;
    const ParameterInfo& info = basis.fit.map().info()[k];
    const double stretch = stretch_of(basis.errors.errors, k, confidence);
    std::vector<double> values;
    for (const Vector& drawn : draws)
      values.push_back(info.transform.value(theta[k] + stretch * (drawn[k] - theta[k])));
    const bool is_limit = !std::isnan(p.interval.upper_limit);
    resampled.ends[k] = percentile_interval(std::move(values), p.estimate, is_limit ? 2 * confidence - 1 : confidence);
  }
  return resampled;
}

}  // namespace pithball::optim
