#include "optim/lbfgs.hpp"

#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>

#include <algorithm>
#include <cmath>

#include "optim/ceres_support.hpp"

namespace pithball::optim {
namespace {

/// θ_k as a smooth function of an unbounded u_k with slope at most 1 (the substitutions of MINUIT; James & Roos 1975):
///    between two bounds   θ = a + (b − a)(1 + sin(2u/(b − a)))/2,      beside one   θ = a − 1 + √(1 + u²).
/// A minimum on a bound is an ordinary minimum in u, and too long a step folds back instead of ending where nothing
/// moves.
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
    // On the bound itself the slope is 0, and nothing would tell the search to leave it.
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

class ObjectiveFunction final : public ceres::FirstOrderFunction {
 public:
  ObjectiveFunction(const Objective& objective, const std::vector<Substitution>& substitutions, MinimizerReport& report,
                    std::string& last_failure)
      : objective_(objective), substitutions_(substitutions), report_(report), last_failure_(last_failure) {}

  int NumParameters() const override { return static_cast<int>(objective_.parameters()); }

  Vector theta(const double* u) const {
    Vector theta(objective_.parameters());
    for (Index k = 0; k < theta.size(); ++k) theta[k] = substitutions_[static_cast<std::size_t>(k)].theta(u[k]);
    return theta;
  }

  bool Evaluate(const double* u, double* cost, double* gradient) const override {
    Vector g;
    Evaluation evaluation = objective_.evaluate(theta(u), *cost, gradient ? &g : nullptr);
    if (evaluation.ok() && !(std::isfinite(*cost) && g.allFinite()))
      evaluation.failure = "the loss or its gradient is not finite";
    last_failure_ = evaluation.failure;
    if (!evaluation.ok()) {
      ++report_.failed_evaluations;
      return false;
    }
    for (Index k = 0; k < g.size(); ++k) gradient[k] = g[k] * substitutions_[static_cast<std::size_t>(k)].slope(u[k]);
    return true;
  }

 private:
  const Objective& objective_;
  const std::vector<Substitution>& substitutions_;
  MinimizerReport& report_;
  std::string& last_failure_;
};

}  // namespace

MinimizerReport lbfgs(const Objective& objective, const Vector& start, const Bounds& bounds,
                      const MinimizerOptions& options) {
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
  auto* function = new ObjectiveFunction(objective, substitutions, report, last_failure);  // owned by the problem
  const ceres::GradientProblem problem(function);
  IterationWatch watch(options, report, [&] { return function->theta(u.data()); });
  ceres::GradientProblemSolver::Options solver;
  solver.line_search_direction_type = ceres::LBFGS;
  solver.line_search_type = ceres::WOLFE;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = options.gradient_tolerance;
  solver.parameter_tolerance = options.parameter_tolerance;
  solver.logging_type = ceres::SILENT;
  solver.update_state_every_iteration = true;
  solver.callbacks.push_back(watch.callback());
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(solver, problem, u.data(), &summary);

  report.theta = report.cost_history.empty() ? start : function->theta(u.data());
  if (!report.cost_history.empty()) report.cost = summary.final_cost;
  conclude(summary.termination_type, summary.message, last_failure, report);
  return report;
}

}  // namespace pithball::optim
