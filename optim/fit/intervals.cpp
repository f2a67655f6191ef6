#include "optim/fit/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/checked_intervals.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/uncertainty/significance.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/force/touch.hpp"

namespace pithball::optim {
namespace {

/// Returns the prior's contribution to the information about p in the posterior covariance.
double information_of(const LaplacePrior& prior, double p) {
  return std::min(std::pow(prior.slope(p), 2), 1 / prior.variance());
}

}  // namespace

const LaplacePrior* find_laplace_prior(const FitProblem& problem, const ParameterInfo& info) {
  for (const Prior& prior : problem.parameters[info.declaration].priors)
    if (const auto* found = std::get_if<LaplacePrior>(&prior)) return found;
  return nullptr;
}

std::pair<double, double> laplace_interval(const LaplacePrior& prior, double estimate, double w, double confidence,
                                           double t) {
  if (!(w >= 0) || !(confidence > 0 && confidence < 1))
    throw InvalidArgument({"", "laplace_interval", "w must be >= 0 and confidence in (0, 1)", "", ""});
  constexpr long normal = std::numeric_limits<int>::max();  // degrees of freedom
  const double wide = t / student_t_quantile(confidence, normal), other = w / (wide * wide);
  const auto slope = [&](double z) { return z / std::hypot(z, LaplacePrior::smoothing); };
  const auto cost = [&](double z) { return std::hypot(z, LaplacePrior::smoothing); };
  const double z0 = (estimate - prior.value) / prior.scale, v = other * prior.scale * prior.scale;
  // Distance in z − z₀ beyond which the density is below the rounding error of its sum.
  constexpr double far = 30;
  constexpr int cells = 20000;
  const double by_prior = 2 * far + std::abs(z0), reach = v > 0 ? std::min(by_prior, 8 / std::sqrt(v)) : by_prior;
  std::vector<double> sums{0};
  const double width = 2 * reach / cells;
  for (int n = 0; n < cells; ++n) {
    const double d = -reach + (n + 0.5) * width;
    sums.push_back(sums.back() + std::exp(-0.5 * v * d * d + slope(z0) * d - cost(z0 + d) + cost(z0)));
  }
  const auto quantile = [&](double part) {
    const auto above = std::ranges::lower_bound(sums, part * sums.back());
    return estimate + prior.scale * (-reach + static_cast<double>(above - sums.begin()) * width);
  };
  return {quantile((1 - confidence) / 2), quantile((1 + confidence) / 2)};
}

std::optional<std::pair<double, double>> find_laplace_interval(const ResolvedFit& fit, const BoundedErrors& errors,
                                                               Index k, const FittedParameter& p) {
  const ParameterInfo& info = fit.map().info()[k];
  const LaplacePrior* prior = find_laplace_prior(fit.problem(), info);
  if (!prior || !p.identifiable || !std::isfinite(p.standard_error) || errors.sides[k] != BoundSide::None) return {};
  const double w = 1 / (p.standard_error * p.standard_error) - information_of(*prior, p.estimate);
  const double t = errors.errors.parameters[k].half_width / errors.errors.parameters[k].standard_error;
  const auto [lower, upper] =
      laplace_interval(*prior, p.estimate, std::max(0.0, w), fit.problem().uncertainty.options.confidence, t);
  return std::pair(std::max(info.lower, lower), std::min(info.upper, upper));
}

namespace {

bool keeps_sign(const ParameterInfo& info) { return info.transform.kind() == Transform::Kind::Log || info.lower == 0; }

/// Whether an interval is so wide in θ that it contains no information.
bool says_nothing(const ParameterInfo& info, const FittedParameter& p) {
  if (info.transform.kind() != Transform::Kind::Scaled) return false;
  const double scale = std::max(info.transform.scale(), std::abs(p.estimate));
  return p.interval.upper - p.interval.lower > 2e3 * scale;
}

bool is_known(const ParameterInfo& info, const FittedParameter& p) {
  if (std::isfinite(p.interval.upper_limit)) return true;
  if (!std::isfinite(p.interval.lower) || !std::isfinite(p.interval.upper) || says_nothing(info, p)) return false;
  if (!keeps_sign(info)) return true;
  if (p.interval.method != IntervalMethod::Linear && p.interval.lower > 0) return true;  // wide, but computed
  return p.estimate <= identifiable_factor * p.interval.lower && p.interval.upper <= identifiable_factor * p.estimate;
}

/// Turns a two-sided interval that reaches 0 into an upper limit if 0 is a physical bound.
void find_limit_at_zero(const ParameterInfo& info, FittedParameter& p) {
  if (info.lower != 0 || p.interval.lower != 0 || !(p.interval.upper < info.upper) || p.interval.at_bound) return;
  p.interval.upper_limit = p.interval.upper;
}

/// Replaces the value's interval by the ends of a profile. An end that was not found is open and does not give a limit.
/// Where Δχ² jumps, the interval reaches at least to its linearized end.
void take_profile(const ParameterInfo& info, const Profile& profile, const IntervalSought& sought, FittedParameter& p) {
  const auto end_of = [&](const ProfileEnd& end, double open, double linear) {
    if (!end.closed) return open;
    const double found = info.transform.value(end.theta);
    return end.jumps && std::abs(linear - p.estimate) > std::abs(found - p.estimate) ? linear : found;
  };
  p.interval.method = IntervalMethod::Profile;
  if (std::isfinite(sought.lower)) p.interval.lower = end_of(profile.lower, info.lower, p.interval.lower);
  if (std::isfinite(sought.upper)) p.interval.upper = end_of(profile.upper, info.upper, p.interval.upper);
  if (profile.lower.exhausted) find_limit_at_zero(info, p);
}

/// The candidates for the interval of one value besides the linearized one.
struct IntervalCandidates {
  UpperLimit limit;
  std::optional<std::pair<double, double>> laplace;
  std::optional<PercentileEnds> resampled;
  const CheckedInterval* checked = nullptr;
  const RoughInterval* scanned = nullptr;
};

/// Whether the profile replaces the interval that was compared with the model.
bool is_replaced(const FittedParameter& p, const CheckedInterval& one, IntervalMethod requested) {
  return one.profile && one.deviation > curved && requested == IntervalMethod::Profile &&
         std::isnan(p.interval.upper_limit) && p.identifiable;
}

/// Replaces the interval by its union with the scanned values that fit as well.
void take_scan(const ParameterInfo& info, const RoughInterval& rough, FittedParameter& p) {
  const auto wider = [&](double linear, double scanned, const auto& choose) {
    const double tried = choose(scanned, p.estimate);
    return std::clamp(std::isnan(linear) ? tried : choose(linear, tried), info.lower, info.upper);
  };
  p.interval.method = IntervalMethod::Scan;
  p.interval.lower = wider(p.interval.lower, rough.lower, [](double a, double b) { return std::min(a, b); });
  p.interval.upper = wider(p.interval.upper, rough.upper, [](double a, double b) { return std::max(a, b); });
}

/// Returns the row `p` of one value, which has its linearized interval, with the interval chosen by the rules of
/// intervals.hpp.
FittedParameter choose(FittedParameter p, const ParameterInfo& info, const IntervalCandidates& found,
                       IntervalMethod requested) {
  if (found.limit.is_open) {
    p.identifiable = false;
    p.weak_direction = p.name + " +1.00";
    p.interval.lower = info.lower;
    p.interval.upper = info.upper;
  } else if (found.limit.end) {
    p.interval.upper_limit = p.interval.upper = *found.limit.end;
    p.interval.lower = 0;
  } else if (found.laplace) {
    std::tie(p.interval.lower, p.interval.upper) = *found.laplace;
  }
  if (found.resampled) {
    p.interval.method = IntervalMethod::Bootstrap;
    p.interval.upper = std::min(info.upper, found.resampled->upper);
    if (found.limit.end)
      p.interval.upper_limit = p.interval.upper;
    else
      p.interval.lower = std::max(info.lower, found.resampled->lower);
  }
  if (found.checked) {
    if (found.checked->is_checked) p.interval.curvature = found.checked->deviation;
    if (is_replaced(p, *found.checked, requested))
      take_profile(info, *found.checked->profile, found.checked->sought, p);
  }
  if (found.scanned) take_scan(info, *found.scanned, p);
  return p;
}

/// Whether bodies can touch something, so that contact forces begin and end.
bool has_contacts(const FitProblem& problem) {
  return std::ranges::any_of(problem.scenarios, [](const diff::Scenario& scenario) {
    const sim::Model& model = scenario.model;
    return std::ranges::any_of(model.terms(),
                               [](const auto& term) {
                                 return term->template as<sim::BeginsAtTouch>() ||
                                        term->traits().loss == sim::LossKind::Friction;
                               }) ||
           std::ranges::any_of(model.constraints(),
                               [](const auto& constraint) { return constraint->template as<sim::ContactRows>(); });
  });
}

/// Adds the notes from the check of an interval, and its profile if one was computed. `p` is the value's row after the
/// check.
void say_checked(const ParameterInfo& info, const CheckedInterval& one, IntervalMethod requested,
                 const FittedParameter& p, bool has_contacts, Intervals& chosen) {
  chosen.evaluations += one.counts;
  if (!one.profile) {
    if (one.deviation > curved && requested != IntervalMethod::Profile)
      chosen.notes.push_back(
          p.name + formatted(": its interval is that of the linearized problem, which is not accurate (Δχ² at its "
                             "ends is off by up to %.2g of itself): write fit.interval: profile",
                             one.deviation));
    return;
  }
  FittedProfile fitted = make_fitted_profile(info, *one.profile, one.sought.root * one.sought.root);
  if (p.interval.method == IntervalMethod::Profile && (one.profile->lower.jumps || one.profile->upper.jumps))
    chosen.notes.push_back(p.name + ": χ² jumps near an end of its interval, " +
                           (has_contacts ? "as where contacts open or close" : "where another minimum begins") +
                           "; the interval is the wider of the profile's and the linearized one");
  if (one.profile->found_better())
    chosen.better.push_back({one.profile->lowest_theta, one.profile->lowest.rise, "the profile of " + p.name});
  FittedProfile doubted = fitted;
  if (!std::isnan(p.interval.upper_limit)) doubted.open_below.clear();  // the limit is reported already
  for (const std::string& warning : doubted.warnings()) chosen.notes.push_back(warning);
  chosen.profiles.push_back(std::move(fitted));
}

std::string say_rough(const FittedParameter& p, const RoughInterval& rough) {
  return p.name + formatted(
                      ": χ² is rough, as where contacts open and close, and scatters by %.2g %% from value to "
                      "value, so that standard errors are not meaningful; the interval contains the values tried "
                      "that fit as well within this scatter",
                      100 * rough.scatter);
}

/// Returns a sentence for an estimate on a bound that is not an upper limit.
std::string say_bound(const FittedParameter& p, bool is_held) {
  return p.name + ": the estimate lies on a bound; its interval is one-sided" +
         (is_held ? ", and the errors of the others assume that it is known" : "");
}

}  // namespace

std::vector<FittedParameter> with_identifiability(const ParameterMap& map, std::vector<FittedParameter> table) {
  for (Index k = 0; k < map.size(); ++k) {
    FittedParameter& p = table[k];
    if (!p.identifiable || !std::isfinite(p.standard_error)) continue;
    // The ends of a profile are reliable; a scan that is open at an end does not cover the values beyond.
    if (p.interval.method != IntervalMethod::Profile && p.interval.method != IntervalMethod::Scan)
      find_limit_at_zero(map.info()[k], p);
    p.identifiable = is_known(map.info()[k], p);
    if (!p.identifiable) p.weak_direction = p.name + " +1.00";
    if (!p.identifiable && keeps_sign(map.info()[k]) && p.interval.method == IntervalMethod::Linear) {
      p.interval.lower = map.info()[k].lower;  // a linearized interval this wide is not valid
      p.interval.upper = map.info()[k].upper;
    }
  }
  return table;
}

namespace {

/// Returns the errors for a search that ended at a χ² higher than the minimum by `left`. The minimum may be √left
/// standard errors away in any direction, which counts as a further, independent error.
BoundedErrors with_way_left(BoundedErrors errors, double left) {
  const double wider = std::sqrt(1 + left);
  for (ParameterErrors& p : errors.errors.parameters)
    for (double* width : {&p.standard_error, &p.half_width, &p.one_sided}) *width *= wider;
  return errors;
}

Intervals choose_with_errors(const IntervalBasis& basis) {
  const ParameterMap& map = basis.fit.map();
  const IntervalMethod requested = basis.fit.problem().uncertainty.interval;
  const BoundedErrors& errors = basis.errors;
  Intervals chosen;
  const std::vector<FittedParameter> linear =
      tabulate(map, basis.optimum.end.theta, errors.errors.parameters, errors.sides);
  std::vector<IntervalCandidates> found(linear.size());
  const auto choose_all = [&] {
    std::vector<FittedParameter> table;
    for (Index k = 0; k < map.size(); ++k) table.push_back(choose(linear[k], map.info()[k], found[k], requested));
    return table;
  };
  const auto limits = find_limits(basis, linear, chosen.evaluations);
  for (Index k = 0; k < map.size(); ++k) {
    found[k].limit = limits[k];
    if (limits[k].is_open)
      chosen.notes.push_back(linear[k].name +
                             ": χ² hardly rises up to where its upper limit would be, so that the "
                             "recordings do not determine it");
    else if (!limits[k].end)
      found[k].laplace = find_laplace_interval(basis.fit, errors, k, linear[k]);
  }
  if (requested == IntervalMethod::Bootstrap) {
    ResampledIntervals resampled = resample_intervals(basis, choose_all());
    for (Index k = 0; k < map.size(); ++k) found[k].resampled = resampled.ends[k];
    chosen.evaluations += resampled.evaluations;
    if (resampled.lowest.is_lower()) chosen.better.push_back(std::move(resampled.lowest));
    if (!resampled.failure.empty()) chosen.notes.push_back(std::move(resampled.failure));
  }
  const CheckedIntervals checked = check_intervals(basis, choose_all());
  if (!checked.failure.empty()) chosen.notes.push_back(checked.failure);
  for (const CheckedInterval& one : checked.list) found[one.k].checked = &one;
  chosen.parameters = choose_all();
  const bool can_touch = has_contacts(basis.fit.problem());
  for (const CheckedInterval& one : checked.list)
    say_checked(map.info()[one.k], one, requested, chosen.parameters[one.k], can_touch, chosen);
  for (const RoughInterval& rough : basis.optimum.rough) {
    found[rough.entry].scanned = &rough;
    chosen.notes.push_back(say_rough(linear[rough.entry], rough));
  }
  chosen.parameters = with_identifiability(map, choose_all());
  for (Index k = 0; k < map.size(); ++k) {
    const FittedParameter& p = chosen.parameters[k];
    if (p.interval.at_bound && std::isnan(p.interval.upper_limit)) chosen.notes.push_back(say_bound(p, errors.held[k]));
  }
  for (const WeakDirection& weak : errors.errors.posterior.formal.spectrum.weak_directions)
    chosen.notes.push_back("the data do not determine the direction " + weak.name);
  return chosen;
}

}  // namespace

Intervals choose_intervals(const IntervalBasis& basis) {
  const BoundedErrors& errors = basis.errors;
  const Vector& theta = basis.optimum.end.theta;
  const ScaledFit scaled(basis, tabulate(basis.fit.map(), theta, errors.errors.parameters, errors.sides));
  if (!scaled.ok() || !scaled.is_short()) return choose_with_errors(basis);
  const BoundedErrors wider = with_way_left(errors, scaled.left());
  Intervals chosen = choose_with_errors({basis.fit, basis.optimum, wider, basis.quality, basis.watch});
  chosen.notes.push_back(
      formatted("the search ended %.2g standard errors short of the minimum: estimates may be off by as much, and all "
                "errors and intervals are widened accordingly; continue it (more iterations, or a smaller "
                "fit.function_tolerance)",
                std::sqrt(scaled.left())));
  return chosen;
}

}  // namespace pithball::optim
