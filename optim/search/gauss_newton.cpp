#include "optim/search/gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::optim {
namespace {

/// Conjugate gradients end at this part of the gradient. Less would be wasted: the next point has another Hessian, and
/// a recorded run costs no more than one or two iterations.
constexpr double forcing = 0.1;
constexpr int max_cg_iterations = 200;

/// A solution of the damped normal equations, with what it promises.
struct DampedStep {
  Vector s;
  double decrease = 0;  ///< of the quadratic model ½|r + Js|², without the damping
};

class GaussNewton {
 public:
  GaussNewton(const Residual& residual, const Vector& start, const Bounds& bounds, const MinimizerOptions& options)
      : residual_(residual), bounds_(bounds), options_(options), start_(start), held_(start.size()) {
    report_.theta = start;
  }

  MinimizerReport run() {
    Vector r;
    if (const Evaluation evaluation = residual_.evaluate(report_.theta, r, nullptr); !evaluate_ok(evaluation, r)) {
      conclude(MinimizerStatus::Failed, "cannot evaluate: " + last_failure_);
      return report_;
    }
    report_.cost = r.squaredNorm() / 2;
    if (!linearize() || !estimate_diagonal()) {
      conclude(MinimizerStatus::Failed, "cannot evaluate: " + last_failure_);
      return report_;
    }
    tell(true);
    while (!ended_) iterate();
    return report_;
  }

 private:
  bool stopped() const { return options_.stop && *options_.stop; }

  void conclude(MinimizerStatus status, const std::string& message) {
    report_.status = status;
    report_.message = message;
    ended_ = true;
  }

  /// Whether a point counts; notes why it does not.
  bool evaluate_ok(const Evaluation& evaluation, const Vector& value) {
    last_failure_ = !evaluation.ok() ? evaluation.failure : value.allFinite() ? "" : "a residual is not finite";
    if (!last_failure_.empty()) ++report_.failed_evaluations;
    return last_failure_.empty();
  }

  /// The derivative at the current point, its gradient, and the held parameters.
  bool linearize() {
    at_.reset();  // its record is large: let go before the next one is made
    Evaluation evaluation = residual_.linearize(report_.theta, at_);
    if (evaluation.ok()) evaluation = at_->gradient(gradient_);
    if (!evaluate_ok(evaluation, gradient_)) return false;
    for (Index k = 0; k < gradient_.size(); ++k)
      held_[k] = (on(bounds_.lower, k) && gradient_[k] > 0) || (on(bounds_.upper, k) && gradient_[k] < 0);
    gradient_ = held_.select(0, gradient_);
    return true;
  }
  bool on(const Vector& bound, Index k) const { return bound.size() > 0 && report_.theta[k] == bound[k]; }

  bool estimate_diagonal() {
    if (!evaluate_ok(at_->normal_diagonal(diagonal_), diagonal_)) return false;
    // A parameter without effect has no scale of its own, but what rounding leaves of those that have one. (Much weaker
    // ones may just have a small unit.)
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double largest = diagonal_.maxCoeff();
    diagonal_ = diagonal_.cwiseMax(largest > 0 ? epsilon * epsilon * largest : 1);
    return true;
  }

  /// The largest cosine of an angle between the residual and a column of J, whose lengths are those estimated.
  double largest_cosine() const {
    const double r = std::sqrt(2 * report_.cost);
    return r > 0 ? gradient_.cwiseQuotient(r * diagonal_.cwiseSqrt()).lpNorm<Eigen::Infinity>() : 0;
  }
  /// How much a change of θ changes the residual, by the estimated lengths of the columns of J.
  double length(const Vector& change) const { return change.cwiseProduct(diagonal_.cwiseSqrt()).norm(); }

  /// After each iteration: the history, the user, the request to stop.
  void tell(bool accepted) {
    report_.add_iteration(report_.cost, report_.theta);
    const int iteration = static_cast<int>(report_.cost_history.size()) - 1;
    if (options_.on_iteration) options_.on_iteration({iteration, report_.cost, accepted, report_.theta});
    if (ended_) return;
    if (stopped())
      conclude(MinimizerStatus::Stopped, "stopped on request");
    else if (largest_cosine() <= options_.gradient_tolerance)
      conclude(MinimizerStatus::Converged, gradient_message);
    else if (iteration >= options_.max_iterations)
      conclude(MinimizerStatus::MaxIterations, "the maximum number of iterations was reached");
  }

  /// Conjugate gradients on (JᵀJ + λD) s = −g, among the parameters that are not held: the solution, and before it what
  /// 1, 2, 4, … iterations gave. False: a product failed.
  bool solve(std::vector<DampedStep>& path) {
    const Index P = gradient_.size();
    DampedStep step{Vector::Zero(P)};
    const auto decrease = [&](const Vector& Ns) { return -step.s.dot(gradient_ + Ns / 2); };
    Vector Ns = Vector::Zero(P), residual = -gradient_, z = residual.cwiseQuotient(diagonal_), p = z, Np;
    double rz = residual.dot(z);
    const double goal = forcing * forcing * rz;
    Index keep_at = 1;
    for (Index n = 0; n < std::min<Index>(max_cg_iterations, 2 * P) && rz > goal && !stopped(); ++n) {
      if (n == keep_at) {
        step.decrease = decrease(Ns);
        path.push_back(step);
        keep_at *= 2;
      }
      if (!evaluate_ok(at_->normal_product(p, Np), Np)) return false;
      Np = held_.select(0, Np);
      const Vector Ap = Np + lambda_ * diagonal_.cwiseProduct(p);
      const double alpha = rz / p.dot(Ap);
      if (!std::isfinite(alpha)) break;
      step.s += alpha * p;
      Ns += alpha * Np;
      residual -= alpha * Ap;
      z = residual.cwiseQuotient(diagonal_);
      const double next = residual.dot(z);
      p = z + next / rz * p;
      rz = next;
    }
    step.decrease = decrease(Ns);
    path.push_back(std::move(step));
    return true;
  }

  /// Moves the step's end onto the bounds that it would cross. False: a product failed.
  bool project(DampedStep& step) {
    Vector end = report_.theta + step.s;
    if (bounds_.lower.size() > 0) end = end.cwiseMax(bounds_.lower);
    if (bounds_.upper.size() > 0) end = end.cwiseMin(bounds_.upper);
    if (end == report_.theta + step.s) return true;
    step.s = end - report_.theta;
    Vector Ns;
    if (!evaluate_ok(at_->normal_product(step.s, Ns), Ns)) return false;
    step.decrease = -step.s.dot(gradient_ + Ns / 2);
    return true;
  }

  void iterate() {
    std::vector<DampedStep> path;
    if (!solve(path)) return conclude(MinimizerStatus::Stalled, "cannot evaluate: " + last_failure_);
    if (length(path.back().s) <= options_.parameter_tolerance * length(report_.theta - start_) && !stopped())
      return conclude(MinimizerStatus::Converged, parameter_message);
    // Where the whole step leads astray a shorter one often does not, and fewer iterations of conjugate gradients are
    // one that costs no more than a run: they leave the directions alone that matter least and are least linear.
    const double lambda = lambda_, before = report_.cost;
    const Vector whole = path.back().s;
    for (bool shortened = false; !path.empty(); path.pop_back(), shortened = true) {
      DampedStep& step = path.back();
      if (!project(step)) return conclude(MinimizerStatus::Stalled, "cannot evaluate: " + last_failure_);
      if (stopped()) return conclude(MinimizerStatus::Stopped, "stopped on request");
      // A projected step may point upwards; a shorter one does not.
      const Vector trial = report_.theta + step.s;
      Vector r;
      double cost = before;
      last_failure_.clear();
      if (step.decrease > 0 && evaluate_ok(residual_.evaluate(trial, r, nullptr), r)) cost = r.squaredNorm() / 2;
      const double gain = (before - cost) / step.decrease;
      if (!(cost < before && gain > 1e-4)) continue;
      accept(trial, cost, gain);
      if (shortened)
        lambda_ = 4 * lambda;  // however well the shorter one did
      else if (before - cost <= options_.function_tolerance * before)
        conclude(MinimizerStatus::Converged, function_message);
      if (!ended_ && !linearize()) conclude(MinimizerStatus::Stalled, "cannot evaluate: " + last_failure_);
      return tell(true);
    }
    reject(whole);
  }

  void accept(const Vector& trial, double cost, double gain) {
    report_.theta = trial;
    report_.cost = cost;
    rejections_ = 0;
    growth_ = 2;
    lambda_ = std::max(1e-12, lambda_ * std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3)));
  }

  void reject(const Vector& step) {
    // Doubling the factor each time, ten rejections in a row shorten the step by about 2^-55.
    if (++rejections_ > 10)
      conclude(MinimizerStatus::Stalled,
               last_failure_.empty() ? "no step reduced the cost" : "cannot evaluate: " + last_failure_);
    else if (last_failure_.empty() && is_negligible(step, report_.theta, options_.parameter_tolerance))
      conclude(MinimizerStatus::Converged, parameter_message);
    lambda_ *= growth_;
    growth_ *= 2;
    tell(false);
  }

  const Residual& residual_;
  const Bounds& bounds_;
  const MinimizerOptions& options_;
  const Vector& start_;
  MinimizerReport report_;
  std::unique_ptr<Linearization> at_;
  Vector gradient_, diagonal_;  ///< gradient: 0 for those held
  Eigen::Array<bool, Eigen::Dynamic, 1> held_;
  double lambda_ = 1e-3, growth_ = 2;
  int rejections_ = 0;
  bool ended_ = false;
  std::string last_failure_;
};

}  // namespace

MinimizerReport gauss_newton(const Residual& residual, const Vector& start, const Bounds& bounds,
                             const MinimizerOptions& options) {
  check_start(start, bounds, residual.parameters());
  return GaussNewton(residual, start, bounds, options).run();
}

}  // namespace pithball::optim
