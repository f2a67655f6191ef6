#include "optim/search/lbfgs.hpp"

#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>

#include <algorithm>
#include <cmath>

#include "optim/search/ceres_support.hpp"

namespace pithball::optim {
namespace {

/// θ_k as a smooth function of an unbounded u_k with slope at most 1 (the substitutions of MINUIT; James & Roos 1975):
///    between two bounds   θ = a + (b − a)(1 + sin(2u/(b − a)))/2,      beside one   θ = a − 1 + √(1 + u²).
/// A minimum on a bound is an ordinary minimum in u, and too long a step folds back instead of ending where the slope
/// is zero.
class Substitution {
 public:
  Substitution(double lower, double upper) : lower_(lower), upper_(upper) {}

  double theta(double u) const {
    if (has_lower() && has_upper()) return lower_ + width() * (1 + std::sin(2 * u / width())) / 2;
    if (has_lower()) return lower_ + hook(u);
    if (has_upper()) return upper_ - hook(u);
    return u;
  }
  double slope(double u) const {
    if (has_lower() && has_upper()) return std::cos(2 * u / width());
    if (has_lower()) return u / std::sqrt(1 + u * u);
    if (has_upper()) return -u / std::sqrt(1 + u * u);
    return 1;
  }
  double inverse(double theta) const {
    // On the bound itself the slope is 0, and the search would never leave.
    constexpr double inside = 1e-2;
    if (has_lower() && has_upper()) {
      const double part = std::clamp((theta - lower_) / width(), inside, 1 - inside);
      return width() / 2 * std::asin(2 * part - 1);
    }
    if (has_lower()) return hook_inverse(std::max(theta - lower_, inside));
    if (has_upper()) return hook_inverse(std::max(upper_ - theta, inside));
    return theta;
  }

 private:
  bool has_lower() const { return std::isfinite(lower_); }
  bool has_upper() const { return std::isfinite(upper_); }
  double width() const { return upper_ - lower_; }
  static double hook(double u) { return u * u / (1 + std::sqrt(1 + u * u)); }  // √(1 + u²) − 1 without cancellation
  static double hook_inverse(double y) { return std::sqrt(y * (y + 2)); }
  double lower_, upper_;
};

/// L/unit as a function of w = u − u_start: Ceres first assumes a Hessian near 1, and measures steps relative to |w|.
class ObjectiveFunction final : public ceres::FirstOrderFunction {
 public:
  ObjectiveFunction(const Objective& objective, std::vector<Substitution> substitutions, Vector start,
                    MinimizerReport& report, std::string& last_failure)
      : objective_(objective),
        substitutions_(std::move(substitutions)),
        start_(std::move(start)),
        report_(report),
        last_failure_(last_failure) {}

  int NumParameters() const override { return objective_.parameters(); }

  Vector theta(const double* w) const {
    Vector theta(objective_.parameters());
    for (Index k = 0; k < theta.size(); ++k) theta[k] = substitutions_[k].theta(start_[k] + w[k]);
    return theta;
  }

  /// Sets the unit to the cost at the start; false if it cannot be evaluated.
  bool set_unit() {
    const Vector w = Vector::Zero(start_.size());
    if (!evaluate(w.data(), first_cost_, &first_gradient_)) return false;
    unit_ = binary_unit(std::abs(first_cost_));
    return true;
  }
  double unit() const { return unit_; }

  bool Evaluate(const double* w, double* cost, double* gradient) const override {
    Vector g;
    if (Eigen::Map<const Vector>(w, start_.size()).isZero(0)) {
      *cost = first_cost_;
      if (gradient) g = first_gradient_;
    } else if (!evaluate(w, *cost, gradient ? &g : nullptr)) {
      return false;
    }
    *cost /= unit_;
    for (Index k = 0; k < g.size(); ++k) gradient[k] = g[k] / unit_ * substitutions_[k].slope(start_[k] + w[k]);
    return true;
  }

 private:
  bool evaluate(const double* w, double& cost, Vector* g) const {
    Evaluation evaluation = objective_.evaluate(theta(w), cost, g);
    if (evaluation.ok() && !(std::isfinite(cost) && (!g || g->allFinite())))
      evaluation.failure = "the loss or its gradient is not finite";
    last_failure_ = evaluation.failure;
    if (!evaluation.ok()) ++report_.failed_evaluations;
    return evaluation.ok();
  }

  const Objective& objective_;
  std::vector<Substitution> substitutions_;
  Vector start_;
  double unit_ = 1, first_cost_ = 0;
  Vector first_gradient_;
  MinimizerReport& report_;
  std::string& last_failure_;
};

}  // namespace

MinimizerReport lbfgs(const Objective& objective, const Vector& start, const Bounds& bounds,
                      const MinimizerOptions& options, const MinimizerWatch& watch) {
  const Index P = objective.parameters();
  check_start(start, bounds, P);
  const QuietLog quiet;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Substitution> substitutions;
  Vector u(P);
  for (Index k = 0; k < P; ++k) {
    substitutions.emplace_back(bounds.lower.size() > 0 ? bounds.lower[k] : -infinity,
                               bounds.upper.size() > 0 ? bounds.upper[k] : infinity);
    u[k] = substitutions.back().inverse(start[k]);
  }

  MinimizerReport report;
  std::string last_failure;
  auto* function = new ObjectiveFunction(objective, substitutions, u, report, last_failure);  // owned by the problem
  const ceres::GradientProblem problem(function);
  report.theta = start;
  if (!function->set_unit()) {
    report.message = "cannot evaluate: " + last_failure;
    return report;
  }
  Vector w = Vector::Zero(P);
  // |∂L/∂θ_k| is at most √(2L) times the length of the Jacobian's column. Gradients alone do not determine that length,
  // so the largest value of |∂L/∂θ_k|/√(2L) so far is used instead.
  double steepest = 0;
  const auto at_minimum = [&](double cost, double gradient, bool) {
    if (gradient == 0) return gradient_message;
    const double slope = gradient / std::sqrt(2 * std::abs(cost));
    steepest = std::max(steepest, slope);
    return slope <= options.gradient_tolerance * steepest ? gradient_message : nullptr;
  };
  IterationWatch told(watch, report, {function->unit(), [&] { return function->theta(w.data()); }, at_minimum});
  ceres::GradientProblemSolver::Options solver;
  solver.line_search_direction_type = ceres::LBFGS;
  solver.line_search_type = ceres::WOLFE;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = 0;  // the watch decides
  solver.parameter_tolerance = options.parameter_tolerance;
  solver.logging_type = ceres::SILENT;
  solver.update_state_every_iteration = true;
  solver.callbacks.push_back(told.callback());
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(solver, problem, w.data(), &summary);

  if (!report.cost_history.empty()) {
    report.theta = function->theta(w.data());
    report.cost = summary.final_cost * function->unit();
  }
  told.conclude(summary.termination_type, summary.message, last_failure);
  return report;
}

}  // namespace pithball::optim
