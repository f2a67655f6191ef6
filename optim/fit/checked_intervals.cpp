#include "optim/fit/checked_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/fit/laplace_intervals.hpp"
#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Points between the estimate and each end of a profile that somebody wants to look at.
constexpr Index drawn_points = 3;

/// What became of one value.
struct CheckedInterval {
  Index k = 0;
  bool is_wanted = false;   // its profile, whatever the check says
  bool is_checked = false;  // its ends are those of the linearized problem
  IntervalSought sought;
  double deviation = 0;
  std::optional<Profile> profile;
  EvaluationCounts counts;
};

bool keeps_sign(const ParameterInfo& info) { return info.transform.kind() == Transform::Kind::Log || info.lower == 0; }

/// Ends at bounds are no claims of the data; ∞ is none to be looked at.
double end_to_check(const ParameterInfo& info, double end) {
  const bool is_claim = std::isfinite(end) && end > info.lower && end < info.upper;
  return is_claim ? info.transform.theta(end) : std::numeric_limits<double>::quiet_NaN();
}

/// Which ends of the interval of value k are to be held against the model; none: there is nothing to be checked.
IntervalSought ends_of(const ResolvedFit& fit, const BoundedErrors& judged, const FitReport& report, double variance,
                       Index k) {
  const ParameterInfo& info = fit.map().info()[k];
  const FittedParameter& p = report.parameters[k];
  const ParameterErrors& errors = judged.errors.parameters[k];
  const bool is_limit = !std::isnan(p.upper_limit);
  IntervalSought sought;
  sought.entry = k;
  sought.transform = info.transform;
  sought.minimizer = fit.problem().minimizer;
  sought.minimizer.on_iteration = {};
  if (!p.identifiable) {  // wanted all the same: to see that it is open
    sought.by_chords = false;
    sought.root = judged.errors.posterior.formal.quantile;
    sought.lower = std::max(fit.map().lower()[k], report.theta[k] - 1);
    sought.upper = std::min(fit.map().upper()[k], report.theta[k] + 1);
    return sought;
  }
  const bool is_one_sided = is_limit || judged.sides[k] != BoundSide::None;
  sought.root = (is_one_sided ? errors.one_sided : errors.half_width) / std::sqrt(variance);
  if (!is_limit) sought.lower = end_to_check(info, p.interval_lower);
  sought.upper = end_to_check(info, p.interval_upper);
  // Three decades on a logarithmic scale, which of a value near 0 begin at its limit.
  const double decades = std::log(1e3);
  if (info.transform.kind() == Transform::Kind::Log)
    sought.reach = is_limit ? sought.upper - report.theta[k] + decades : decades;
  else
    sought.reach = std::max(errors.half_width * 30, decades * info.transform.scale());
  return sought;
}

/// Half widths of θ from which an interval says nothing.
bool says_nothing(const ParameterInfo& info, const FittedParameter& p) {
  if (info.transform.kind() != Transform::Kind::Scaled) return false;
  const double scale = std::max(info.transform.scale(), std::abs(p.estimate));
  return p.interval_upper - p.interval_lower > 2e3 * scale;
}

bool is_known(const ParameterInfo& info, const FittedParameter& p) {
  if (std::isfinite(p.upper_limit)) return true;
  if (!std::isfinite(p.interval_lower) || !std::isfinite(p.interval_upper) || says_nothing(info, p)) return false;
  if (!keeps_sign(info)) return true;
  return p.estimate <= identifiable_factor * p.interval_lower && p.interval_upper <= identifiable_factor * p.estimate;
}

/// A two-sided interval that reaches 0, where nature puts a bound, is an upper limit.
void find_limit_at_zero(const ParameterInfo& info, FittedParameter& p) {
  if (info.lower != 0 || p.interval_lower != 0 || !(p.interval_upper < info.upper) || p.at_bound) return;
  p.upper_limit = p.interval_upper;
}

/// The ends of a profile as the value's interval; what could not be found is open, and no limit. Where Δχ² jumps, the
/// interval reaches at least to its linearized end.
void take_profile(const ParameterInfo& info, const Profile& profile, const IntervalSought& sought, FittedParameter& p) {
  const auto end_of = [&](const ProfileEnd& end, double open, double linear) {
    if (!end.closed) return open;
    const double found = info.transform.value(end.theta);
    return end.jumps && std::abs(linear - p.estimate) > std::abs(found - p.estimate) ? linear : found;
  };
  p.method = IntervalMethod::Profile;
  if (std::isfinite(sought.lower)) p.interval_lower = end_of(profile.lower, info.lower, p.interval_lower);
  if (std::isfinite(sought.upper)) p.interval_upper = end_of(profile.upper, info.upper, p.interval_upper);
  if (profile.lower.exhausted) find_limit_at_zero(info, p);
}

std::vector<CheckedInterval> intervals_to_check(const ResolvedFit& fit, const BoundedErrors& judged,
                                                const FitReport& report, const ScaledFit& scaled) {
  const std::vector<Index> wanted = find_parameters(fit.map(), fit.problem().profile);
  std::vector<CheckedInterval> all;
  for (Index k = 0; k < fit.map().size(); ++k) {
    const ParameterInfo& info = fit.map().info()[k];
    const FittedParameter& p = report.parameters[k];
    const double variance = scaled.inverse()(k, k);
    const bool is_wanted = std::ranges::find(wanted, k) != wanted.end();
    const bool is_known = p.identifiable && std::isfinite(p.standard_error);
    const bool is_resampled = p.method == IntervalMethod::Bootstrap;  // its ends need no linearity
    // Of a model that does not fit, an interval says nothing about the true value, however exactly its ends are found.
    if (!is_wanted && !report.quality.fits()) continue;
    if (!is_wanted && !report.rough.empty()) continue;  // neither a linear problem nor a curve that could be followed
    if (judged.held[k] || (!is_wanted && (!is_known || is_resampled || info.is_nuisance || !(variance > 0)))) continue;
    const bool is_limit = !std::isnan(p.upper_limit);  // straight in p, and rather too high
    // With a laplace prior the ends are not where χ² has risen by t².
    if (find_laplace_prior(fit.problem(), info) || (is_limit && !is_wanted)) continue;
    CheckedInterval one;
    one.k = k;
    one.is_wanted = is_wanted;
    one.is_checked = !is_resampled;
    one.sought = ends_of(fit, judged, report, variance, k);
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

/// The profile of a value whose interval is wanted or found inaccurate.
void find_profile(const ResolvedFit& fit, const ScaledFit& scaled, CheckedInterval& one) {
  const FitProblem& problem = scaled.problem();
  const bool is_replaced = problem.interval == IntervalMethod::Profile && one.deviation > curved;
  const bool is_stopped = problem.minimizer.stop && *problem.minimizer.stop;
  if (!(is_replaced || one.is_wanted) || is_stopped) return;
  const FitResidual residual(problem, fit.map());
  one.profile = compute_profile(scaled.about(residual), one.sought);
  one.counts += residual.counts();
}

void report_interval(const ParameterInfo& info, const CheckedInterval& one, IntervalMethod method, FitReport& report) {
  FittedParameter& p = report.parameters[one.k];
  if (one.is_checked) p.curvature = one.deviation;
  report.evaluations += one.counts;
  if (!one.profile) {
    if (one.deviation > curved && method != IntervalMethod::Profile)
      report.notes.push_back(
          p.name + formatted(": its interval is that of the linearized problem, which is not accurate (Δχ² at its "
                             "ends is off by up to %.2g of itself): write fit.interval: profile",
                             one.deviation));
    return;
  }
  FittedProfile fitted = make_fitted_profile(info, *one.profile, one.sought.root * one.sought.root);
  const bool is_replaced =
      one.deviation > curved && method == IntervalMethod::Profile && std::isnan(p.upper_limit) && p.identifiable;
  if (is_replaced) take_profile(info, *one.profile, one.sought, p);
  if (is_replaced && (one.profile->lower.jumps || one.profile->upper.jumps))
    report.notes.push_back(p.name +
                           ": χ² jumps near an end of its interval, as where contacts open or close; the interval is "
                           "the wider of the profile's and the linearized one");
  FittedProfile doubted = fitted;
  if (!std::isnan(p.upper_limit)) doubted.open_below.clear();  // a limit is said already
  for (const std::string& warning : doubted.warnings()) report.notes.push_back(warning);
  report.profiles.push_back(std::move(fitted));
}

}  // namespace

bool shows_no_scatter(const FitProblem& problem, double data_scale) {
  double sigma = 0, range = 0;
  for (const Observation& o : problem.observations) {
    const TrackNoise noise = estimate_track_noise("", o);
    range = std::max({range, noise.motion, noise.extent});
    if (o.sigma.size() > 0) sigma = std::max(sigma, o.sigma.maxCoeff());
  }
  return data_scale * sigma < 1e-6 * range;
}

void check_intervals(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report) {
  const ScaledFit scaled(fit, judged, report);
  if (!scaled.ok()) {
    if (!fit.problem().profile.empty())
      report.notes.push_back("profiles were not computed: the residuals are all zero");
    return;
  }
  if (shows_no_scatter(fit.problem(), judged.errors.posterior.data_scale) && fit.problem().profile.empty()) return;
  std::vector<CheckedInterval> all = intervals_to_check(fit, judged, report, scaled);
  if (all.empty()) return;
  constexpr double far_from_minimum = 0.25;  // half a standard error: χ² does not rise from there as it should
  if (scaled.left() > far_from_minimum) {
    report.notes.push_back(
        formatted("the search ended %.2g standard errors short of the minimum: estimates are off by up to as much, "
                  "which their standard errors do not contain; continue it (more iterations, or a smaller "
                  "fit.function_tolerance)",
                  std::sqrt(scaled.left())));
    return;
  }
  constexpr double much = std::numeric_limits<double>::infinity();  // of work: each is a run at least
  std::vector<CheckedEnd> ends = ends_to_check(all);
  sim::parallel_for(static_cast<Index>(ends.size()), much, [&](Index n) { check_end(fit, scaled, ends[n]); });
  for (const CheckedEnd& end : ends) {
    CheckedInterval& one = all[end.interval];
    one.deviation = std::max(one.deviation, end.deviation);
    one.counts += end.counts;
  }
  sim::parallel_for(static_cast<Index>(all.size()), much, [&](Index n) { find_profile(fit, scaled, all[n]); });
  for (const CheckedInterval& one : all) report_interval(fit.map().info()[one.k], one, fit.problem().interval, report);
}

void judge_identifiable(const ParameterMap& map, std::vector<FittedParameter>& table) {
  for (Index k = 0; k < map.size(); ++k) {
    FittedParameter& p = table[k];
    if (!p.identifiable || !std::isfinite(p.standard_error)) continue;
    // A profile knows where it ends; a scan that is open at an end has not seen what lies beyond.
    if (p.method != IntervalMethod::Profile && p.method != IntervalMethod::Scan) find_limit_at_zero(map.info()[k], p);
    p.identifiable = is_known(map.info()[k], p);
    if (!p.identifiable) p.weak_direction = p.name + " +1.00";
  }
}

}  // namespace pithball::optim
