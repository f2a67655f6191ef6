#include "optim/fit/checked_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/fit/fit_profiles.hpp"
#include "optim/fit/laplace_intervals.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Points between the estimate and each end of a profile that somebody wants to look at.
constexpr Index drawn_points = 3;

/// Ends at bounds are no claims of the data; ∞ is none to be looked at.
double end_to_check(const ParameterInfo& info, double end) {
  const bool is_claim = std::isfinite(end) && end > info.lower && end < info.upper;
  return is_claim ? info.transform.theta(end) : std::numeric_limits<double>::quiet_NaN();
}

/// Which ends of the interval of value k are to be held against the model; none: there is nothing to be checked.
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
  if (!p.identifiable) {  // wanted all the same: to see that it is open
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
  // Three decades on a logarithmic scale, which of a value near 0 begin at its limit.
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
    const bool is_resampled = p.interval.method == IntervalMethod::Bootstrap;  // its ends need no linearity
    // Of a model that does not fit, an interval says nothing about the true value, however exactly its ends are found.
    if (!is_wanted && !basis.quality.fits()) continue;
    if (!is_wanted && p.errors.widest == ErrorKind::RandomEffects) continue;  // its ends have nothing to do with χ²
    if (!is_wanted && !basis.optimum.rough.empty()) continue;  // neither linear nor a curve that could be followed
    if (basis.errors.held[k] || (!is_wanted && (!is_known || is_resampled || info.is_nuisance || !(variance > 0))))
      continue;
    const bool is_limit = !std::isnan(p.interval.upper_limit);  // straight in p, and rather too high
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

/// One end of an interval to be checked: a run of its own, so that all ends can be checked side by side.
struct CheckedEnd {
  std::size_t interval = 0;  // its number
  IntervalSought sought;     // without the other end
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

/// Profiles beyond which none is computed unasked: each takes tens of runs with their gradients, and so many together
/// much more than the search.
constexpr std::ptrdiff_t most_profiles = 30;

bool is_curved(const CheckedInterval& one) { return one.deviation > curved; }

/// The profile of a value whose interval is wanted, or found inaccurate where `are_few` are.
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
  constexpr double much = std::numeric_limits<double>::infinity();  // of work: each is a run at least
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

}  // namespace pithball::optim
