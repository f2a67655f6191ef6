#include "optim/search/geodesic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "optim/search/minimizer.hpp"

namespace pithball::optim {
namespace {

/// How many times exchanging all misplaced entries may fail to reduce their number before single exchanges follow.
constexpr int patience = 3;
/// Limit for both kinds of exchange. Entries still misplaced then are off by rounding, and are moved to the nearest
/// side.
constexpr int most_exchanges = 200;

}  // namespace

BoxStep::BoxStep(const Eigen::MatrixXd& A, const Vector& g, const Vector& lower, const Vector& upper) : A_(A), g_(g) {
  Sides sides = Sides::Zero(g.size());
  rest_on(sides, lower, upper);
  std::size_t fewest = g.size() + 1;
  int left = patience;
  for (int n = 0; n < most_exchanges; ++n) {
    std::vector<Index> wrong = misplaced(sides, lower, upper);
    if (wrong.empty()) return;
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      left = patience;
    } else if (left-- <= 0) {
      wrong = {wrong.back()};  // Murty's rule, which cannot cycle
    }
    for (const Index k : wrong) sides[k] = sides[k] != 0 ? 0 : step_[k] < lower[k] ? -1 : 1;
    rest_on(sides, lower, upper);
  }
  step_ = step_.cwiseMax(lower).cwiseMin(upper);
}

Vector BoxStep::solve_free(const Vector& b) const {
  Vector x = Vector::Zero(b.size());
  if (free_.empty()) return x;
  const Vector among_free = b(free_), solved = root_.solve(among_free);
  x(free_) = solved;
  return x;
}

void BoxStep::rest_on(const Sides& sides, const Vector& lower, const Vector& upper) {
  free_.clear();
  step_ = Vector::Zero(sides.size());
  for (Index k = 0; k < sides.size(); ++k) {
    if (sides[k] == 0)
      free_.push_back(k);
    else
      step_[k] = sides[k] < 0 ? lower[k] : upper[k];
  }
  if (!free_.empty()) root_.compute(A_(free_, free_));
  step_ -= solve_free(g_ + A_ * step_);
  slope_ = g_ + A_ * step_;
}

std::vector<Index> BoxStep::misplaced(const Sides& sides, const Vector& lower, const Vector& upper) const {
  std::vector<Index> wrong;
  for (Index k = 0; k < sides.size(); ++k) {
    const bool is_outside = sides[k] == 0 && (step_[k] < lower[k] || step_[k] > upper[k]);
    const bool is_pulled_inside = sides[k] * slope_[k] > 0;
    if (is_outside || is_pulled_inside) wrong.push_back(k);
  }
  return wrong;
}

namespace {

/// Part of a step at the end of which the second derivative is measured.
constexpr double probed_part = 0.1;
/// Largest 2|δ₂|/|δ₁|.
constexpr double most_acceleration = 0.75;
/// λ is multiplied by the first factor if a step does not lower the cost, and divided by the second if it does. It
/// falls faster than it rises, so that steps are as long as possible, since a try costs little compared with a
/// Jacobian.
constexpr double raising = 2, lowering = 5;
constexpr double first_lambda = 1e-3, least_lambda = 1e-14;
/// Tries with one Jacobian: the last step is shorter than the first by about 2^-60.
constexpr int most_tries = 60;

/// The model ½|r + Js|² of the cost around a point, for x_k = |J_k| s_k, where |J_k| is the largest length of column k
/// so far.
struct ScaledModel {
  Vector r;                        ///< R
  Eigen::MatrixXd J, normal;       ///< ∂r/∂x (R×P), JᵀJ
  Vector gradient, scale, length;  ///< Jᵀr, dx/dθ, and |J_k|: 1, or less where a column was longer before

  /// False: it cannot be computed.
  bool compute(const LeastSquaresSearch& search, const Vector& theta, FailedEvaluations& failures) {
    const Evaluation evaluation = search.residual.evaluate(theta, r, &J);
    if (!failures.check(evaluation, r)) return false;
    if (!failures.check(evaluation, J.reshaped())) return false;
    const Vector norms = J.colwise().norm();
    longest_ = longest_.size() == 0 ? norms : Vector(longest_.cwiseMax(norms));
    scale = longest_.unaryExpr([](double norm) { return norm > 0 ? norm : 1; });
    length = norms.cwiseQuotient(scale);
    J *= scale.cwiseInverse().asDiagonal();
    normal = J.transpose() * J;
    gradient = J.transpose() * r;
    return true;
  }

 private:
  Vector longest_;  ///< lengths of the longest columns so far, for θ
};

/// Limits of a step: for changes of x, and for θ.
struct StepBox {
  Vector lower, upper, lowest, highest;

  StepBox(const Bounds& bounds, const Vector& theta, const Vector& scale) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Vector step = bounds.step.size() > 0 ? bounds.step : Vector(Vector::Constant(theta.size(), infinity));
    lowest = theta - step;
    highest = theta + step;
    if (bounds.lower.size() > 0) lowest = lowest.cwiseMax(bounds.lower);
    if (bounds.upper.size() > 0) highest = highest.cwiseMin(bounds.upper);
    lower = (lowest - theta).cwiseProduct(scale);
    upper = (highest - theta).cwiseProduct(scale);
  }
  /// Returns θ after a change of x: exactly on a bound if x is.
  Vector end(const Vector& theta, const Vector& x, const Vector& scale) const {
    const Vector end = theta + x.cwiseQuotient(scale);
    return (x.array() <= lower.array()).select(lowest, (x.array() >= upper.array()).select(highest, end));
  }
};

/// A point of the search, or one that is tried.
struct TriedStep {
  Vector theta, r;
  double cost = std::numeric_limits<double>::infinity();  ///< infinite where r cannot be evaluated
};

/// State of a search at its best point.
struct GeodesicPoint {
  ScaledModel model;
  double lambda = first_lambda;
  int unnoticed = 0;  ///< latest consecutive steps whose decrease is below the noise
};

TriedStep evaluate_at(const LeastSquaresSearch& search, Vector theta, FailedEvaluations& failures) {
  TriedStep trial{std::move(theta), {}};
  if (failures.check(search.residual.evaluate(trial.theta, trial.r, nullptr), trial.r))
    trial.cost = trial.r.squaredNorm() / 2;
  return trial;
}

/// Tries the step δ₁ + δ₂ from this point.
TriedStep take_step(const LeastSquaresSearch& search, const Vector& theta, const GeodesicPoint& point,
                    FailedEvaluations& failures) {
  const ScaledModel& model = point.model;
  const StepBox box(search.bounds, theta, model.scale);
  Eigen::MatrixXd A = model.normal;
  A.diagonal().array() += point.lambda;
  const BoxStep damped(A, model.gradient, box.lower, box.upper);
  Vector x = damped.step();
  const auto end_of = [&](const Vector& change) { return box.end(theta, change, model.scale); };
  const TriedStep probed = evaluate_at(search, end_of(probed_part * x), failures);
  if (!std::isfinite(probed.cost)) return {end_of(x), {}};  // the whole step would go farther still
  const Vector curvature = 2 / probed_part * ((probed.r - model.r) / probed_part - model.J * x);
  const Vector acceleration = damped.solve_free(model.J.transpose() * curvature) / -2;
  if (2 * acceleration.norm() <= most_acceleration * x.norm())
    x = (x + acceleration).cwiseMax(box.lower).cwiseMin(box.upper);
  return evaluate_at(search, end_of(x), failures);
}

/// Returns the largest cosine of the angle between the residual and a column of its Jacobian, except for parameters on
/// a bound that the gradient pushes outward.
double largest_free_cosine(const LeastSquaresSearch& search, const Vector& theta, const ScaledModel& model) {
  const auto on = [&](const Vector& bound, Index k) { return bound.size() > 0 && theta[k] == bound[k]; };
  double largest = 0;
  for (Index k = 0; k < theta.size(); ++k) {
    const double gradient = model.gradient[k], scale = model.length[k] * model.r.norm();
    const bool is_held = (on(search.bounds.lower, k) && gradient > 0) || (on(search.bounds.upper, k) && gradient < 0);
    if (scale > 0 && !is_held) largest = std::max(largest, std::abs(gradient) / scale);
  }
  return largest;
}

/// Whether noise would hide a decrease of the cost.
bool is_unnoticed(const LeastSquaresSearch& search, double decrease, double cost) {
  const double freedom = static_cast<double>(search.residual.rows() - search.residual.parameters());
  return freedom > 0 && decrease * freedom < search.options.noise_tolerance * cost;
}

/// Whether the search ends at the best point, which an iteration has reached.
std::optional<Ending> end_at_best(const LeastSquaresSearch& search, const GeodesicPoint& point,
                                  const MinimizerReport& report) {
  if (search.watch.is_stopped()) return stopped_on_request();
  if (largest_free_cosine(search, report.theta, point.model) <= search.options.gradient_tolerance)
    return Ending{MinimizerStatus::Converged, gradient_message};
  if (static_cast<int>(report.cost_history.size()) - 1 >= search.options.max_iterations)
    return Ending{MinimizerStatus::MaxIterations, "the maximum number of iterations was reached"};
  return {};
}

/// Takes shorter and shorter steps until one lowers the cost; if none does, returns why the search ends.
std::optional<Ending> descend_accelerated(const LeastSquaresSearch& search, const MinimizerReport& from,
                                          GeodesicPoint& point, TriedStep& found, FailedEvaluations& failures) {
  const double tolerance = search.options.parameter_tolerance;
  for (int tries = 0; tries < most_tries; ++tries, point.lambda *= raising) {
    failures.forget_last();
    found = take_step(search, from.theta, point, failures);
    const Vector step = found.theta - from.theta;
    const double way = point.model.scale.cwiseProduct(from.theta - search.start).norm();
    if (tries == 0 && point.model.scale.cwiseProduct(step).norm() <= tolerance * way)
      return Ending{MinimizerStatus::Converged, parameter_message};
    if (found.cost < from.cost) return {};
    if (search.watch.is_stopped()) return stopped_on_request();
    if (!failures.has_last() && is_negligible(step, from.theta, tolerance))
      return Ending{MinimizerStatus::Converged, parameter_message};
  }
  return failures.has_last() ? failures.end(MinimizerStatus::Stalled)
                             : Ending{MinimizerStatus::Stalled, "no step reduced the cost"};
}

std::optional<Ending> iterate_accelerated(const LeastSquaresSearch& search, GeodesicPoint& point,
                                          MinimizerReport& report, FailedEvaluations& failures) {
  TriedStep next;
  std::optional<Ending> ending = descend_accelerated(search, report, point, next, failures);
  if (ending) return ending;
  const double decrease = report.cost - next.cost;
  if (decrease <= search.options.function_tolerance * report.cost)
    ending = Ending{MinimizerStatus::Converged, function_message};
  point.unnoticed = is_unnoticed(search, decrease, report.cost) ? point.unnoticed + 1 : 0;
  if (point.unnoticed >= 2) ending = Ending{MinimizerStatus::Converged, noise_message};
  report.theta = std::move(next.theta);
  report.cost = next.cost;
  point.lambda = std::max(point.lambda / lowering, least_lambda);
  if (!ending && !point.model.compute(search, report.theta, failures)) ending = failures.end(MinimizerStatus::Stalled);
  tell_iteration(search.watch, true, report);
  return ending ? ending : end_at_best(search, point, report);
}

}  // namespace

MinimizerReport geodesic(const Residual& residual, const Vector& start, const Bounds& bounds,
                         const MinimizerOptions& options, const MinimizerWatch& watch) {
  check_start(start, bounds, residual.parameters());
  const LeastSquaresSearch search{residual, start, bounds, options, watch};
  MinimizerReport report;
  report.theta = start;
  FailedEvaluations failures;
  GeodesicPoint point;
  std::optional<Ending> ending;
  if (point.model.compute(search, start, failures)) {
    report.cost = point.model.r.squaredNorm() / 2;
    tell_iteration(watch, true, report);
    ending = end_at_best(search, point, report);
  } else {
    ending = failures.end(MinimizerStatus::Failed);
  }
  while (!ending) ending = iterate_accelerated(search, point, report, failures);
  report.status = ending->status;
  report.message = ending->message;
  report.failed_evaluations = failures.count();
  return report;
}

}  // namespace pithball::optim
