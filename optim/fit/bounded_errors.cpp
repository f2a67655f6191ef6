#include "optim/fit/bounded_errors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "optim/fit/held_budget.hpp"
#include "optim/fit/problem.hpp"
#include "optim/parameter/parameter_blocks.hpp"
#include "optim/uncertainty/recording_shifts.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Returns how a shift or drift of its recording would change each of the R residuals; zero for kinds whose readings
/// are not positions in space or in an image.
ShiftRows find_shift_rows(const ResolvedFit& fit, const RowOrder& order, Index rows);

/// Adds the shifts and drifts of recordings that the residuals show (RecordingShifts) to the errors of θ. Returns a
/// sentence for each recording and kind of shift: "hang: the recording seems shifted by 2.1 ± 0.1 mm along x (p =
/// 1e-09), which the intervals include; `placement: {fit: translation}` would fit it, unless clock, scale or model
/// cause it". `rows`, `scores` and `errors` are those of the fit.
std::vector<std::string> carry_shifts(const ResolvedFit& fit, const FitRows& rows, const Scores& scores,
                                      AllErrors& errors);

namespace {

/// "2.1 ± 0.1 mm along x".
std::string say_length_of(const MeasurementKind& kind, const RecordingShift& shift) {
  const double factor = kind.shown_unit.factor;
  return formatted("%.3g ± %.1g %s along %s", factor * shift.size[shift.component],
                   factor * shift.error[shift.component], kind.shown_unit.name.c_str(),
                   kind.components[shift.component].c_str());
}

/// Returns a remedy for a shift, with a leading semicolon; empty if there is none.
std::string say_remedy(const MeasurementKind& kind, const RecordingShift& shift) {
  if (shift.kind == ShiftKind::Own) return "; check where the marker is attached";
  if (shift.kind == ShiftKind::Translation && kind.geometry.is_place)
    return "; `placement: {fit: translation}` would fit it, unless clock, scale or model cause it";
  return "";
}

std::string say_shift(const ResolvedFit& fit, const RowOrder& order, const RecordingShift& shift) {
  const std::size_t scenario = order.recordings[shift.recording];
  const Observation& observation = fit.problem().observations[scenario];
  const MeasurementKind& kind = kind_of(observation);
  const std::string what =
      shift.kind == ShiftKind::Own ? "marker " + observation.markers[shift.marker].name : std::string("the recording");
  return fit.problem().scenarios[scenario].name + ": " + what +
         (shift.kind == ShiftKind::Drift ? " seems to drift by " : " seems shifted by ") + say_length_of(kind, shift) +
         formatted(" (p = %.1g), which the intervals include", shift.p_value) + say_remedy(kind, shift);
}

}  // namespace

ShiftRows find_shift_rows(const ResolvedFit& fit, const RowOrder& order, Index rows) {
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  ShiftRows shifts{Vector::Zero(rows), Vector::Zero(rows)};
  for (const std::size_t s : order.recordings) {
    const MeasurementModel& measurement = trajectories.measurement(s);
    if (!measurement.whitening().empty()) continue;  // a random walk explains shifts and drifts
    const Index first_row = trajectories.first_row(s);
    const auto& samples = measurement.samples();
    const bool has_place = kind_of(fit.problem().observations[s]).geometry.registration != Registration::None;
    const double begin = samples.front().since_first, length = samples.back().since_first - begin;
    for (const MeasurementModel::Sample& sample : samples)
      for (Index row = sample.first_row; has_place && row < sample.first_row + sample.row_count; ++row) {
        shifts.by_shift[first_row + row] = 1 / measurement.row_sigma(row);
        shifts.place[first_row + row] = length > 0 ? (sample.since_first - begin) / length - 0.5 : 0;
      }
  }
  return shifts;
}

std::vector<std::string> carry_shifts(const ResolvedFit& fit, const FitRows& rows, const Scores& scores,
                                      AllErrors& errors) {
  const RecordingShifts shifts =
      find_recording_shifts(rows, scores, errors.posterior, find_shift_rows(fit, rows.order, rows.r.size()));
  if (shifts.found.empty()) return {};
  add_covariance(shifts.covariance, fit.problem().uncertainty.options.confidence, errors);
  std::vector<std::string> sentences;
  for (const RecordingShift& shift : shifts.found) sentences.push_back(say_shift(fit, rows.order, shift));
  return sentences;
}

namespace {

/// Whether θ lies on a bound, to within 1e-6 of a large change of θ: that is 1 for all transforms but the identity,
/// whose θ has a unit.
bool lies_on(double theta, double bound, Transform::Kind kind) {
  const double scale = kind == Transform::Kind::Identity ? std::max(std::abs(theta), std::abs(bound)) : 1;
  return std::isfinite(bound) && std::abs(theta - bound) <= 1e-6 * scale;
}

/// Marks the values that lie on a bound beyond which the cost would decrease.
std::vector<bool> find_active(const std::vector<BoundSide>& sides, const FitRows& rows, double data_scale) {
  std::vector<bool> active(sides.size(), false);
  if (std::ranges::all_of(sides, [](BoundSide side) { return side == BoundSide::None; })) return active;
  const Vector gradient =
      rows.J.transpose() * compute_scores(rows).psi / (data_scale * data_scale) + rows.prior_J.transpose() * rows.prior;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const double g = gradient[k];
    active[k] = (sides[k] == BoundSide::Lower && g > 0) || (sides[k] == BoundSide::Upper && g < 0);
  }
  return active;
}

void leave_out(const std::vector<bool>& held, FitRows& rows) {
  for (Index k = 0; k < rows.parameters(); ++k) {
    if (!held[k]) continue;
    rows.J.col(k).setZero();
    rows.prior_J.col(k).setZero();
  }
}

/// Fills in the results that follow from `rows` and `held`.
void fill_bounded(const ResolvedFit& fit, const Vector& theta, BoundedErrors& found) {
  const ParameterMap& map = fit.map();
  FitRows& rows = found.rows;
  leave_out(found.held, rows);
  Eigen::MatrixXd stack(rows.J.rows() + rows.prior_J.rows(), map.size());
  stack << rows.J, rows.prior_J;
  found.symmetry = find_scale_symmetry(map, theta, stack);
  UncertaintyOptions options = fit.problem().uncertainty.options;
  options.held = found.held;
  if (found.symmetry) options.rank_tolerance = std::max(options.rank_tolerance, scale_symmetry_tolerance);
  if (!found.symmetry && fit.residual().has_priors()) {
    remove_scale_symmetry(map, theta, rows.J);
    leave_out(found.held, rows);  // the projection may have filled these columns with rounding errors
  }
  found.scores = compute_scores(rows);
  found.errors = compute_all_errors(rows, found.scores, map.names(), options);
  found.failure = carry_held_values(fit, theta, rows, found.scores, found.errors).failure;
  found.shifts = carry_shifts(fit, rows, found.scores, found.errors);
}

}  // namespace

std::vector<BoundSide> find_bounds(const ParameterMap& map, const Vector& theta) {
  const Vector lower = map.lower(), upper = map.upper();
  std::vector<BoundSide> sides(static_cast<std::size_t>(map.size()), BoundSide::None);
  for (Index k = 0; k < map.size(); ++k) {
    const Transform::Kind kind = map.info()[k].transform.kind();
    if (lies_on(theta[k], lower[k], kind))
      sides[k] = BoundSide::Lower;
    else if (lies_on(theta[k], upper[k], kind))
      sides[k] = BoundSide::Upper;
  }
  return sides;
}

BoundedErrors compute_bounded_errors(const ResolvedFit& fit, const Vector& theta, FitRows rows, double data_scale) {
  const std::vector<BoundSide> sides = find_bounds(fit.map(), theta);
  std::vector<bool> active = find_active(sides, rows, data_scale);
  BoundedErrors unbounded;
  const bool any = std::find(active.begin(), active.end(), true) != active.end();
  if (any) {
    unbounded.rows = rows;
    unbounded.held.assign(active.size(), false);
    fill_bounded(fit, theta, unbounded);
  }
  BoundedErrors found;
  found.sides = sides;
  found.held = std::move(active);
  found.rows = std::move(rows);
  fill_bounded(fit, theta, found);
  for (std::size_t k = 0; any && k < sides.size(); ++k)
    if (found.held[k]) found.errors.parameters[k] = unbounded.errors.parameters[k];
  return found;
}

void set_interval(const ParameterInfo& info, BoundSide side, double theta, const ParameterErrors& errors,
                  FittedParameter& p) {
  const Transform& transform = info.transform;
  const double below = side == BoundSide::Upper ? errors.one_sided : errors.half_width;
  const double above = side == BoundSide::Lower ? errors.one_sided : errors.half_width;
  p.interval.lower = side == BoundSide::Lower ? info.lower : std::max(info.lower, transform.value(theta - below));
  p.interval.upper = side == BoundSide::Upper ? info.upper : std::min(info.upper, transform.value(theta + above));
}

namespace {

/// Fills in the errors of a value.
void fill_parameter(double slope, const ParameterErrors& errors, FittedParameter& p) {
  p.identifiable = errors.identifiable;
  p.weak_direction = errors.weak_direction;
  p.standard_error = slope * errors.standard_error;
  p.errors.widest = errors.widest;
  p.errors.formal = slope * errors.formal;
  p.errors.robust = slope * errors.robust;
  p.errors.jackknife = slope * errors.jackknife;
  p.errors.random_effects = slope * errors.random_effects;
}

}  // namespace

std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta) {
  const Vector estimate = map.physical(theta);
  const std::vector<BoundSide> sides = find_bounds(map, theta);
  std::vector<FittedParameter> table;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    FittedParameter p;
    p.name = info.name;
    p.value = info.value;
    p.scope.group = info.group;
    p.scope.recording = info.recording;
    p.scope.is_nuisance = info.is_nuisance;
    p.unit = info.unit;
    p.initial = info.initial;
    p.estimate = estimate[k];
    p.interval.at_bound = sides[k] != BoundSide::None;
    table.push_back(p);
  }
  return table;
}

std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta,
                                      const std::vector<ParameterErrors>& errors, const std::vector<BoundSide>& sides) {
  std::vector<FittedParameter> table = tabulate(map, theta);
  const Vector slope = map.physical_derivative(theta);
  for (Index k = 0; k < map.size(); ++k) {
    fill_parameter(slope[k], errors[k], table[k]);
    if (!std::isnan(errors[k].half_width)) set_interval(map.info()[k], sides[k], theta[k], errors[k], table[k]);
  }
  return table;
}

namespace {

/// Marks the active bounds (bounded_errors.hpp): those beyond which the fit's cost would decrease.
Evaluation find_held(const ManyValues& many, const std::vector<BoundSide>& sides, std::vector<bool>& held) {
  held.assign(sides.size(), false);
  if (std::ranges::all_of(sides, [](BoundSide side) { return side == BoundSide::None; })) return {};
  Vector gradient, of_priors;
  Evaluation evaluation = many.data.vjp(compute_scores(many).psi, gradient);
  if (evaluation.ok() && many.priors) {
    evaluation = many.priors->gradient(of_priors);
    if (evaluation.ok()) gradient += of_priors;
  }
  if (!evaluation.ok()) return evaluation;
  for (Index k = 0; k < gradient.size(); ++k)
    held[k] = (sides[k] == BoundSide::Lower && gradient[k] > 0) || (sides[k] == BoundSide::Upper && gradient[k] < 0);
  return {};
}

std::string say_count(Index count, const char* what) {
  return std::to_string(count) + (count == 1 ? " value " : " values ") + what;
}

std::vector<std::string> say_origins(const SampledErrors& errors) {
  std::vector<std::string> said;
  const auto add = [&](ErrorOrigin origin, const char* what) {
    const auto count = static_cast<Index>(std::ranges::count(errors.origin, origin));
    if (count > 0) said.push_back(say_count(count, what));
  };
  add(ErrorOrigin::Held, "on a bound: no standard errors, and those of the others assume that they are known");
  add(ErrorOrigin::Unfelt, "without any effect on the measured coordinates");
  add(ErrorOrigin::Null, "in directions that the data do not determine");
  add(ErrorOrigin::Unsettled,
      "whose standard errors did not converge with the number of samples, and are unknown: fit.exact_standard_errors "
      "computes them");
  return said;
}

ErrorReport report_many(const ResolvedFit& fit, const FitOptimum& optimum, const SampledErrors& errors) {
  ErrorReport report;
  report.frames = errors.robust.frames;
  report.autocorrelation = errors.robust.autocorrelation;
  report.mean_ratio = errors.robust.mean_ratio;
  report.by_mean_ratio = true;
  report.priors.determined_by_data = errors.determined_by_data;
  if (fit.problem().loss.is_robust()) report.loss_threshold = fit.problem().loss.threshold() * optimum.scales.threshold;
  report.samples = error_samples;
  report.products = errors.products;
  for (Index k = 0; k < fit.map().size(); ++k)
    if (errors.origin[k] == ErrorOrigin::Solved) report.exact.push_back(fit.map().info()[k].name);
  return report;
}

}  // namespace

ManyErrors compute_many_errors(const ResolvedFit& fit, const FitOptimum& optimum) {
  const Vector& theta = optimum.end.theta;
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem& problem = fit.problem();
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  const EvaluationCounts before = trajectories.counts();
  std::unique_ptr<Linearization> data, priors;
  Evaluation evaluation = trajectories.linearize(theta, data);
  if (evaluation.ok() && fit.residual().has_priors())
    evaluation = fit.residual().priors().linearize_widths(theta, priors);
  const std::vector<BoundSide> sides = find_bounds(fit.map(), theta);
  ManyErrors many_errors{tabulate(fit.map(), theta), {}, {}, {}, {}};
  SampledErrors& errors = many_errors.errors;
  if (evaluation.ok()) {
    ManyValues many{*data,
                    priors.get(),
                    problem.loss,
                    find_row_order(problem.scenarios, problem.observations),
                    find_blocks(fit.map()),
                    {},
                    find_parameters(fit.map(), problem.uncertainty.exact_standard_errors, "exact_standard_errors")};
    many.loss = many.loss.scaled(optimum.scales.threshold);
    evaluation = find_held(many, sides, many.held);
    if (evaluation.ok()) errors = compute_sampled_errors(many, fit.map().names(), problem.uncertainty.options);
  }
  const EvaluationCounts& after = trajectories.counts();
  many_errors.evaluations.forward += after.forward - before.forward;
  many_errors.evaluations.tangent += after.tangent - before.tangent;
  many_errors.evaluations.adjoint += after.adjoint - before.adjoint;
  const std::string failure = evaluation.ok() ? errors.failure : evaluation.failure;
  if (!failure.empty()) {
    many_errors.notes.push_back("standard errors could not be computed: " + failure);
    errors = {};  // partial errors are not reported
    return many_errors;
  }
  if (std::ranges::any_of(problem.value_errors, [](const auto& held) { return !held.empty(); }))
    many_errors.notes.push_back(
        "standard errors do not include that of the initial state or placement: there are more than " +
        std::to_string(problem.uncertainty.full_limit) + " parameters");
  many_errors.parameters = tabulate(fit.map(), theta, errors.parameters, sides);
  many_errors.report = report_many(fit, optimum, errors);
  std::ranges::move(say_origins(errors), std::back_inserter(many_errors.notes));
  many_errors.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return many_errors;
}

}  // namespace pithball::optim
