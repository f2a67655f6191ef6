#include "optim/fit/bounded_errors.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit/carried_shifts.hpp"
#include "optim/fit/held_values.hpp"
#include "optim/fit/resolved_fit.hpp"

namespace pithball::optim {
namespace {

/// Whether θ lies on a bound. Transforms make 1 a large change of θ, but for the identity, whose θ has a unit.
bool lies_on(double theta, double bound, Transform::Kind kind) {
  const double scale = kind == Transform::Kind::Identity ? std::max(std::abs(theta), std::abs(bound)) : 1;
  return std::isfinite(bound) && std::abs(theta - bound) <= 1e-6 * scale;
}

/// Those on a bound that the cost would rather cross.
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

/// Fills in what follows from `rows` and `held`.
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
    leave_out(found.held, rows);  // it may have come back as rounding
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

}  // namespace pithball::optim
