#include "optim/fit/checked_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/fit/intervals.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/report.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Points drawn between the estimate and each end of a requested profile.
constexpr Index drawn_points = 3;

/// Returns θ at an end of an interval; NaN for ends at bounds, which do not come from the data, and for infinite ends,
/// which cannot be checked.
double end_to_check(const ParameterInfo& info, double end) {
  const bool is_claim = std::isfinite(end) && end > info.lower && end < info.upper;
  return is_claim ? info.transform.theta(end) : std::numeric_limits<double>::quiet_NaN();
}

/// Returns the ends of the interval of value k that are to be compared with the model; none if there is nothing to
/// check.
IntervalSought ends_of(const IntervalBasis& basis, const FittedParameter& p, double variance, Index k) {
  const ResolvedFit& fit = basis.fit;
  const Vector& theta = basis.optimum.end.theta;
  const ParameterInfo& info = fit.map().info()[k];
  const ParameterErrors& errors = basis.errors.errors.parameters[k];
  const bool is_limit = !std::isnan(p.interval.upper_limit);
  IntervalSought sought;
  sought.entry = k;
  sought.transform = info.transform;
  sought.minimizer = fit.problem().search.minimizer;
  sought.watch = basis.watch;
  if (!p.identifiable) {  // requested: the profile shows whether it is open
    sought.by_chords = false;
    sought.root = basis.errors.errors.posterior.formal.scale.quantile;
    sought.lower = std::max(fit.map().lower()[k], theta[k] - 1);
    sought.upper = std::min(fit.map().upper()[k], theta[k] + 1);
    return sought;
  }
  const bool is_one_sided = is_limit || basis.errors.sides[k] != BoundSide::None;
  sought.root = (is_one_sided ? errors.one_sided : errors.half_width) / std::sqrt(variance);
  if (!is_limit) sought.lower = end_to_check(info, p.interval.lower);
  sought.upper = end_to_check(info, p.interval.upper);
  // Three decades on a logarithmic scale; for a value near 0 they begin at its limit.
  const double decades = std::log(1e3);
  if (info.transform.kind() == Transform::Kind::Log)
    sought.reach = is_limit ? sought.upper - theta[k] + decades : decades;
  else
    sought.reach = std::max(errors.half_width * 30, decades * info.transform.scale());
  return sought;
}

std::vector<CheckedInterval> intervals_to_check(const IntervalBasis& basis, const std::vector<FittedParameter>& table,
                                                const ScaledFit& scaled) {
  const ResolvedFit& fit = basis.fit;
  const std::vector<Index> wanted = find_parameters(fit.map(), fit.problem().uncertainty.profiles);
  std::vector<CheckedInterval> all;
  for (Index k = 0; k < fit.map().size(); ++k) {
    const ParameterInfo& info = fit.map().info()[k];
    const FittedParameter& p = table[k];
    const double variance = scaled.inverse()(k, k);
    const bool is_wanted = std::ranges::find(wanted, k) != wanted.end();
    const bool is_known = p.identifiable && std::isfinite(p.standard_error);
    const bool is_resampled = p.interval.method == IntervalMethod::Bootstrap;  // its ends assume no linearity
    // If the model does not fit, an interval does not describe the true value, however exactly its ends are computed.
    if (!is_wanted && !basis.quality.fits()) continue;
    if (!is_wanted && p.errors.widest == ErrorKind::RandomEffects) continue;  // its ends do not depend on χ²
    if (!is_wanted && !basis.optimum.rough.empty()) continue;  // neither linear nor smooth enough to follow
    if (basis.errors.held[k] || (!is_wanted && (!is_known || is_resampled || info.is_nuisance || !(variance > 0))))
      continue;
    const bool is_limit = !std::isnan(p.interval.upper_limit);  // linear in p, and more likely too high than too low
    // With a laplace prior the ends are not where χ² has risen by t².
    if (find_laplace_prior(fit.problem(), info) || (is_limit && !is_wanted)) continue;
    CheckedInterval one;
    one.k = k;
    one.is_wanted = is_wanted;
    one.is_checked = !is_resampled;
    one.sought = ends_of(basis, p, variance, k);
    if (is_wanted) one.sought.between = drawn_points;
    if (one.sought.root > 0) all.push_back(std::move(one));
  }
  return all;
}

/// One end of an interval to be checked, in a run of its own, so that all ends can be checked in parallel.
struct CheckedEnd {
  std::size_t interval = 0;  // index in the list of intervals
  IntervalSought sought;     // with the other end removed
  double deviation = 0;
  EvaluationCounts counts;
};

std::vector<CheckedEnd> ends_to_check(const std::vector<CheckedInterval>& all) {
  std::vector<CheckedEnd> ends;
  for (std::size_t n = 0; n < all.size(); ++n)
    for (const bool is_lower : {true, false}) {
      if (!all[n].is_checked) continue;
      CheckedEnd end{n, all[n].sought, 0, {}};
      double& other = is_lower ? end.sought.upper : end.sought.lower;
      other = std::numeric_limits<double>::quiet_NaN();
      if (std::isfinite(is_lower ? end.sought.lower : end.sought.upper)) ends.push_back(std::move(end));
    }
  return ends;
}

void check_end(const ResolvedFit& fit, const ScaledFit& scaled, CheckedEnd& end) {
  const FitResidual residual(scaled.problem(), fit.map());
  end.deviation =
      check_curvature(scaled.about(residual), end.sought, [&](const Vector& w) { return scaled.transposed_all(w); });
  end.counts = residual.counts();
}

/// Largest number of profiles that are computed without being requested: each takes tens of runs with gradients, so
/// that more would take much longer than the search.
constexpr std::ptrdiff_t most_profiles = 30;

bool is_curved(const CheckedInterval& one) { return one.deviation > curved; }

/// Computes the profile of a value if it is requested, or if its interval is inaccurate and only few are (`are_few`).
void find_profile(const ResolvedFit& fit, const ScaledFit& scaled, bool are_few, CheckedInterval& one) {
  const FitProblem& problem = scaled.problem();
  const bool is_replaced = are_few && problem.uncertainty.interval == IntervalMethod::Profile && is_curved(one);
  if (!(is_replaced || one.is_wanted) || one.sought.watch.is_stopped()) return;
  const FitResidual residual(problem, fit.map());
  one.profile = compute_profile(scaled.about(residual), one.sought);
  one.counts += residual.counts();
}

}  // namespace

bool shows_no_scatter(const FitProblem& problem, double data_scale) {
  double sigma = 0, range = 0;
  for (const Observation& o : problem.observations) {
    const TrackNoise noise = estimate_track_noise("", o);
    range = std::max({range, noise.motion, noise.extent});
    if (o.noise.sigma.size() > 0) sigma = std::max(sigma, o.noise.sigma.maxCoeff());
  }
  return data_scale * sigma < 1e-6 * range;
}

CheckedIntervals check_intervals(const IntervalBasis& basis, const std::vector<FittedParameter>& table) {
  const ResolvedFit& fit = basis.fit;
  const bool are_wanted = !fit.problem().uncertainty.profiles.empty();
  const ScaledFit scaled(basis, table);
  if (!scaled.ok()) return {{}, are_wanted ? "profiles were not computed: the residuals are all zero" : ""};
  if (shows_no_scatter(fit.problem(), basis.errors.errors.posterior.data_scale) && !are_wanted) return {};
  CheckedIntervals checked{intervals_to_check(basis, table, scaled), ""};
  std::vector<CheckedInterval>& all = checked.list;
  if (all.empty()) return {};
  if (scaled.is_short()) return {{}, are_wanted ? "profiles were not computed: the search ended too early" : ""};
  constexpr double much = std::numeric_limits<double>::infinity();  // work per item, which takes at least one run
  std::vector<CheckedEnd> ends = ends_to_check(all);
  sim::parallel_for(static_cast<Index>(ends.size()), much, [&](Index n) { check_end(fit, scaled, ends[n]); });
  for (const CheckedEnd& end : ends) {
    CheckedInterval& one = all[end.interval];
    one.deviation = std::max(one.deviation, end.deviation);
    one.counts += end.counts;
  }
  const std::ptrdiff_t inaccurate = std::ranges::count_if(all, is_curved);
  const bool are_few = inaccurate <= most_profiles;
  sim::parallel_for(static_cast<Index>(all.size()), much, [&](Index n) { find_profile(fit, scaled, are_few, all[n]); });
  if (!are_few && fit.problem().uncertainty.interval == IntervalMethod::Profile)
    checked.failure = formatted(
        "the intervals of %lld values are those of the linearized problem, which is not accurate (Δχ² at their ends is "
        "off by more than %.0f %%): so many profiles would take longer than the search; name those that matter under "
        "fit.profiles",
        static_cast<long long>(inaccurate), 100 * curved);
  return checked;
}

namespace {

/// Largest meaningful limit, as a multiple of a value's initial magnitude. An estimate divided by this factor counts as
/// 0.
constexpr double far_beyond = 1e3;

/// Returns θ with every value on a logarithmic scale raised to at least this fraction of its start.
Vector lift_logarithms(const ParameterMap& map, Vector theta, double part) {
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.transform.kind() == Transform::Kind::Log)
      theta[k] = std::max(theta[k], info.transform.theta(part * info.initial));
  }
  return theta;
}

/// Returns the magnitude that the user expects of a value: its start, or the scale of its transform.
double given_size(const ParameterInfo& info) {
  return info.transform.kind() == Transform::Kind::Log ? info.initial : info.transform.scale();
}

/// Returns the linearized upper limit of a value smaller than its standard error, if that limit is meaningful.
std::optional<double> straight_limit(const ParameterInfo& info, const ParameterErrors& errors, double slope,
                                     const FittedParameter& p) {
  if (info.lower != 0 || !p.identifiable || !std::isfinite(p.standard_error)) return {};
  if (!(p.estimate < p.standard_error)) return {};
  const double limit = p.estimate + slope * errors.one_sided;
  if (!(limit < info.upper) || !(limit <= far_beyond * given_size(info))) return {};
  return limit;
}

/// Least rise of χ² at a valid limit, as a fraction of the predicted rise: a quarter corresponds to half the predicted
/// number of standard errors, which the curvature of a model may cause; a model that does not depend on the value has
/// no rise.
constexpr double least_rise = 0.25;

/// Evaluates χ² near the optimum, in units of the data's scale.
class LimitTrial {
 public:
  LimitTrial(const IntervalBasis& basis, EvaluationCounts& counts)
      : map_(basis.fit.map()),
        u_(basis.errors.errors.posterior.formal),
        parameters_(basis.errors.errors.parameters),
        theta_(basis.optimum.end.theta),
        counts_(counts),
        residual_(with_scales(basis.fit.problem(),
                              {basis.errors.errors.posterior.data_scale, basis.optimum.scales.threshold}),
                  map_) {
    square_ = evaluate(theta_);
  }

  /// Whether the data are consistent with 0 for value k.
  bool allows(Index k) {
    const double error = u_.scale.s * u_.root.row(k).norm(), end = parameters_[k].half_width / error;
    return evaluate(at_zero(k)) - square_ <= end * end;  // false if that point cannot be simulated
  }

  /// Whether χ² hardly rises up to this limit of value k.
  bool is_open(Index k, double limit) {
    const double claimed = std::pow(parameters_[k].one_sided / parameters_[k].formal, 2);
    return evaluate(at_limit(k, limit)) - square_ < least_rise * claimed;  // false if that point cannot be simulated
  }

 private:
  double evaluate(const Vector& theta) {
    Vector r;
    ++counts_.forward;
    return residual_.all().evaluate(theta, r, nullptr).ok() ? r.squaredNorm() : NAN;
  }
  Vector at_zero(Index k) const {
    const ParameterInfo& info = map_.info()[k];
    const double p = info.transform.value(theta_[k]);
    return with_value(k, -p, info.transform.kind() == Transform::Kind::Log ? info.transform.theta(p / far_beyond) : 0);
  }
  Vector at_limit(Index k, double limit) const {
    const Transform& transform = map_.info()[k].transform;
    return with_value(k, limit - transform.value(theta_[k]), transform.theta(limit));
  }
  /// Returns θ with entry k at theta_k and the other entries at the minimum of the linearized problem for this change
  /// of value k.
  Vector with_value(Index k, double change, double theta_k) const {
    const Vector along = u_.root * u_.root.row(k).transpose();  // C_jk/s²
    Vector theta = theta_;
    if (along[k] > 0) theta += change / map_.info()[k].transform.derivative(theta_[k]) / along[k] * along;
    theta[k] = theta_k;
    return theta.cwiseMax(map_.lower()).cwiseMin(map_.upper());
  }

  const ParameterMap& map_;
  const Uncertainty& u_;
  const std::vector<ParameterErrors>& parameters_;
  const Vector& theta_;
  EvaluationCounts& counts_;
  FitResidual residual_;
  double square_ = 0;
};

}  // namespace

SearchEnd lift_vanished_values(const ResolvedFit& fit, const ResidualScales& scales, SearchEnd end) {
  // No new search on a linear scale bounded at 0: all later steps would have to use its θ, although the estimate
  // differs by only a small part of its error.
  constexpr double unnoticed = 0.01;  // rise of χ², in variances of a residual
  const ParameterMap& map = fit.map();
  std::optional<FitResidual> residual;
  double square = 0, variance = 1;
  for (const double part : {1e-6, 1e-12, 1e-18}) {
    const Vector lifted = lift_logarithms(map, end.theta, part);
    if (lifted == end.theta) break;
    Vector r;
    if (!residual) {
      residual.emplace(with_scales(fit.problem(), scales), map);
      ++end.evaluations.forward;
      if (!residual->all().evaluate(end.theta, r, nullptr).ok()) break;  // reported elsewhere
      square = r.squaredNorm();
      const auto degrees = static_cast<double>(std::max<Index>(1, r.size() - map.size()));
      if (!fit.problem().uncertainty.options.absolute_sigma) variance = square / degrees;
    }
    ++end.evaluations.forward;
    if (!residual->all().evaluate(lifted, r, nullptr).ok()) continue;
    if (r.squaredNorm() - square > unnoticed * variance) continue;
    end.theta = lifted;
    break;
  }
  return end;
}

std::vector<UpperLimit> find_limits(const IntervalBasis& basis, const std::vector<FittedParameter>& table,
                                    EvaluationCounts& counts) {
  const ParameterMap& map = basis.fit.map();
  const double tau = basis.errors.errors.posterior.data_scale;
  std::vector<UpperLimit> limits(table.size());
  if (!(std::isfinite(tau) && tau > 0)) return limits;
  const Vector slope = map.physical_derivative(basis.optimum.end.theta);
  std::optional<LimitTrial> trial;
  for (Index k = 0; k < map.size(); ++k) {
    const auto limit = straight_limit(map.info()[k], basis.errors.errors.parameters[k], slope[k], table[k]);
    if (!limit) continue;
    if (!trial) trial.emplace(basis, counts);
    if (basis.errors.sides[k] != BoundSide::Lower && !trial->allows(k)) continue;  // a value on the bound is 0 already
    limits[k].is_open = trial->is_open(k, *limit);
    if (!limits[k].is_open) limits[k].end = limit;
  }
  return limits;
}

}  // namespace pithball::optim
