#include "optim/search/gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/search/minimizer.hpp"

namespace pithball::optim {
namespace {

/// Conjugate gradients end at this part of the gradient. Further iterations would be wasted: the next point has another
/// Hessian, and a recorded run costs no more than one or two of them.
constexpr double forcing = 0.1;
constexpr int max_cg_iterations = 200;

/// The model ½|r + Js|² of the cost around a point.
struct QuadraticModel {
  std::unique_ptr<Linearization> derivative;
  Vector gradient;                                ///< Jᵀr; 0 for held parameters
  Eigen::Array<bool, Eigen::Dynamic, 1> is_held;  ///< on a bound, with the gradient pushing outward

  /// Predicted decrease of the cost by a step, with Ns = JᵀJs.
  double decrease(const Vector& s, const Vector& Ns) const { return -s.dot(gradient + Ns / 2); }
};

/// A solution of the damped normal equations, and its predicted decrease.
struct DampedStep {
  Vector s;
  double decrease = 0;  ///< of the quadratic model, without the damping
};

/// λ, and its adaptation to the steps.
struct Damping {
  double lambda = 1e-3, growth = 2;
  int rejections = 0;  ///< in a row

  /// Adapts λ after a step with this ratio of actual to predicted decrease.
  void relax(double gain) {
    rejections = 0;
    growth = 2;
    lambda = std::max(1e-12, lambda * std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3)));
  }
  /// Adapts λ after a rejected step.
  void tighten() {
    ++rejections;
    lambda *= growth;
    growth *= 2;
  }
};

/// A lower point at the end of a step.
struct Descent {
  Vector theta;
  double cost = 0, gain = 0;  ///< gain: actual decrease / predicted one
  bool is_shortened = false;  ///< longer steps have failed
};

/// Computes the model at a point, after freeing the previous derivative, whose stored runs are large. Returns false if
/// the model cannot be computed.
bool model_cost(const LeastSquaresSearch& search, const Vector& theta, QuadraticModel& model,
                FailedEvaluations& failures) {
  model.derivative.reset();
  Evaluation evaluation = search.residual.linearize(theta, model.derivative);
  Vector& gradient = model.gradient;
  if (evaluation.ok()) evaluation = model.derivative->gradient(gradient);
  if (!failures.check(evaluation, gradient)) return false;
  const auto on = [&](const Vector& bound, Index k) { return bound.size() > 0 && theta[k] == bound[k]; };
  model.is_held.resize(gradient.size());
  for (Index k = 0; k < gradient.size(); ++k)
    model.is_held[k] =
        (on(search.bounds.lower, k) && gradient[k] > 0) || (on(search.bounds.upper, k) && gradient[k] < 0);
  gradient = model.is_held.select(0, gradient);
  return true;
}

/// Estimates D ≈ diag JᵀJ; false if it cannot be computed.
bool estimate_diagonal(const Linearization& derivative, Vector& diagonal, FailedEvaluations& failures) {
  if (!failures.check(derivative.normal_diagonal(diagonal), diagonal)) return false;
  // A parameter without effect has no scale of its own; it gets that of rounding errors in the column of the strongest.
  // (Not more, since a parameter with a weak effect may have a small unit.)
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double largest = diagonal.maxCoeff();
  diagonal = diagonal.cwiseMax(largest > 0 ? epsilon * epsilon * largest : 1);
  return true;
}

/// Returns the largest cosine of the angle between the residual and a column of J, with the estimated column lengths.
double largest_estimated_cosine(const Vector& gradient, const Vector& diagonal, double cost) {
  const double r = std::sqrt(2 * cost);
  return r > 0 ? gradient.cwiseQuotient(r * diagonal.cwiseSqrt()).lpNorm<Eigen::Infinity>() : 0;
}

/// Returns the length of the change of the residual for a change of θ, by the estimated lengths of the columns of J.
double length_in_residual(const Vector& change, const Vector& diagonal) {
  return change.cwiseProduct(diagonal.cwiseSqrt()).norm();
}

/// Solves (JᵀJ + λD) s = −g by conjugate gradients for the parameters that are not held. Returns the iterates after 1,
/// 2, 4, … iterations, and last the solution; empty if a product failed.
std::vector<DampedStep> solve_damped(const LeastSquaresSearch& search, const QuadraticModel& model,
                                     const Vector& diagonal, double lambda, FailedEvaluations& failures) {
  const Index P = model.gradient.size();
  std::vector<DampedStep> path;
  DampedStep step{Vector::Zero(P)};
  Vector Ns = Vector::Zero(P), residual = -model.gradient, z = residual.cwiseQuotient(diagonal), p = z, Np;
  double rz = residual.dot(z);
  const double goal = forcing * forcing * rz;
  Index keep_at = 1;
  for (Index n = 0; n < std::min<Index>(max_cg_iterations, 2 * P) && rz > goal && !search.watch.is_stopped(); ++n) {
    if (n == keep_at) {
      step.decrease = model.decrease(step.s, Ns);
      path.push_back(step);
      keep_at *= 2;
    }
    if (!failures.check(model.derivative->normal_product(p, Np), Np)) return {};
    Np = model.is_held.select(0, Np);
    const Vector Ap = Np + lambda * diagonal.cwiseProduct(p);
    const double alpha = rz / p.dot(Ap);
    if (!std::isfinite(alpha)) break;
    step.s += alpha * p;
    Ns += alpha * Np;
    residual -= alpha * Ap;
    z = residual.cwiseQuotient(diagonal);
    const double next = residual.dot(z);
    p = z + next / rz * p;
    rz = next;
  }
  step.decrease = model.decrease(step.s, Ns);
  path.push_back(std::move(step));
  return path;
}

/// Moves the step's end onto the bounds that it would cross; false if a product failed.
bool project_on_bounds(const Bounds& bounds, const Vector& theta, const QuadraticModel& model, DampedStep& step,
                       FailedEvaluations& failures) {
  Vector end = theta + step.s;
  if (bounds.lower.size() > 0) end = end.cwiseMax(bounds.lower);
  if (bounds.upper.size() > 0) end = end.cwiseMin(bounds.upper);
  if (end == theta + step.s) return true;
  step.s = end - theta;
  Vector Ns;
  if (!failures.check(model.derivative->normal_product(step.s, Ns), Ns)) return false;
  step.decrease = model.decrease(step.s, Ns);
  return true;
}

/// Tries these steps from the last to the first, and returns the first one that lowers the cost; none if no step does,
/// or if the search has ended.
std::optional<Descent> find_descent(const LeastSquaresSearch& search, const MinimizerReport& from,
                                    const QuadraticModel& model, std::vector<DampedStep> path,
                                    FailedEvaluations& failures, std::optional<Ending>& ending) {
  // If the whole step raises the cost, a shorter one often lowers it. An earlier iterate of the conjugate gradients is
  // such a step: it costs one run, and omits the directions that matter least and are least linear.
  for (bool is_shortened = false; !path.empty(); path.pop_back(), is_shortened = true) {
    DampedStep& step = path.back();
    if (!project_on_bounds(search.bounds, from.theta, model, step, failures))
      ending = failures.end(MinimizerStatus::Stalled);
    else if (search.watch.is_stopped())
      ending = stopped_on_request();
    if (ending) return {};
    // A projected step may point uphill; a shorter one does not.
    Vector trial = from.theta + step.s;
    Vector r;
    double cost = from.cost;
    failures.forget_last();
    if (step.decrease > 0 && failures.check(search.residual.evaluate(trial, r, nullptr), r)) cost = r.squaredNorm() / 2;
    const double gain = (from.cost - cost) / step.decrease;
    if (cost < from.cost && gain > 1e-4) return Descent{std::move(trial), cost, gain, is_shortened};
  }
  return {};
}

/// Whether the search ends at the point that an iteration has reached.
std::optional<Ending> find_ending(const LeastSquaresSearch& search, const QuadraticModel& model, const Vector& diagonal,
                                  const MinimizerReport& report) {
  if (search.watch.is_stopped()) return stopped_on_request();
  if (largest_estimated_cosine(model.gradient, diagonal, report.cost) <= search.options.gradient_tolerance)
    return Ending{MinimizerStatus::Converged, gradient_message};
  if (static_cast<int>(report.cost_history.size()) - 1 >= search.options.max_iterations)
    return Ending{MinimizerStatus::MaxIterations, "the maximum number of iterations was reached"};
  return {};
}

/// Moves to a lower point, and computes the model there.
std::optional<Ending> descend(const LeastSquaresSearch& search, const Descent& to, QuadraticModel& model,
                              Damping& damping, MinimizerReport& report, FailedEvaluations& failures) {
  const double lambda = damping.lambda, before = report.cost;
  report.theta = to.theta;
  report.cost = to.cost;
  damping.relax(to.gain);
  if (to.is_shortened)
    damping.lambda = 4 * lambda;  // however good the shorter step was
  else if (before - to.cost <= search.options.function_tolerance * before)
    return Ending{MinimizerStatus::Converged, function_message};
  if (!model_cost(search, report.theta, model, failures)) return failures.end(MinimizerStatus::Stalled);
  return {};
}

/// Keeps the point, since neither this step nor a shorter one lowers the cost.
std::optional<Ending> reject_step(const LeastSquaresSearch& search, const Vector& step, const Vector& theta,
                                  Damping& damping, const FailedEvaluations& failures) {
  damping.tighten();
  // Since the factor doubles each time, ten rejections in a row shorten the step by about 2^-55.
  if (damping.rejections > 10)
    return failures.has_last() ? failures.end(MinimizerStatus::Stalled)
                               : Ending{MinimizerStatus::Stalled, "no step reduced the cost"};
  if (!failures.has_last() && is_negligible(step, theta, search.options.parameter_tolerance))
    return Ending{MinimizerStatus::Converged, parameter_message};
  return {};
}

std::optional<Ending> iterate(const LeastSquaresSearch& search, const Vector& diagonal, QuadraticModel& model,
                              Damping& damping, MinimizerReport& report, FailedEvaluations& failures) {
  std::vector<DampedStep> path = solve_damped(search, model, diagonal, damping.lambda, failures);
  if (path.empty()) return failures.end(MinimizerStatus::Stalled);
  const Vector whole = path.back().s;
  if (length_in_residual(whole, diagonal) <=
          search.options.parameter_tolerance * length_in_residual(report.theta - search.start, diagonal) &&
      !search.watch.is_stopped())
    return Ending{MinimizerStatus::Converged, parameter_message};
  std::optional<Ending> ending;
  const std::optional<Descent> descent = find_descent(search, report, model, std::move(path), failures, ending);
  if (ending) return ending;
  ending = descent ? descend(search, *descent, model, damping, report, failures)
                   : reject_step(search, whole, report.theta, damping, failures);
  tell_iteration(search.watch, descent.has_value(), report);
  return ending ? ending : find_ending(search, model, diagonal, report);
}

}  // namespace

MinimizerReport gauss_newton(const Residual& residual, const Vector& start, const Bounds& bounds,
                             const MinimizerOptions& options, const MinimizerWatch& watch) {
  check_start(start, bounds, residual.parameters());
  const LeastSquaresSearch search{residual, start, bounds, options, watch};
  MinimizerReport report;
  report.theta = start;
  FailedEvaluations failures;
  std::optional<Ending> ending;
  QuadraticModel model;
  Vector r, diagonal;
  bool has_start = failures.check(residual.evaluate(start, r, nullptr), r);
  if (has_start) report.cost = r.squaredNorm() / 2;
  has_start = has_start && model_cost(search, start, model, failures) &&
              estimate_diagonal(*model.derivative, diagonal, failures);
  if (has_start) {
    tell_iteration(watch, true, report);
    ending = find_ending(search, model, diagonal, report);
  } else {
    ending = failures.end(MinimizerStatus::Failed);
  }
  for (Damping damping; !ending;) ending = iterate(search, diagonal, model, damping, report, failures);
  report.status = ending->status;
  report.message = ending->message;
  report.failed_evaluations = failures.count();
  return report;
}

}  // namespace pithball::optim
