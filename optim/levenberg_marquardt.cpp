#include "optim/levenberg_marquardt.hpp"

#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "optim/ceres_support.hpp"

namespace pithball::optim {
namespace {

/// The whole residual as one Ceres cost function. Every parameter is a block of its own, so that each can be held
/// fixed.
class ResidualCost final : public ceres::CostFunction {
 public:
  ResidualCost(const Residual& residual, MinimizerReport& report, std::string& last_failure)
      : residual_(residual), report_(report), last_failure_(last_failure) {
    set_num_residuals(static_cast<int>(residual.rows()));
    mutable_parameter_block_sizes()->assign(static_cast<std::size_t>(residual.parameters()), 1);
  }

  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    Vector theta(residual_.parameters()), r;
    for (Index k = 0; k < theta.size(); ++k) theta[k] = *parameters[k];
    Eigen::MatrixXd J;
    Evaluation evaluation = residual_.evaluate(theta, r, jacobians ? &J : nullptr);
    if (evaluation.ok() && !(r.allFinite() && J.allFinite())) evaluation.failure = "a residual is not finite";
    last_failure_ = evaluation.failure;
    if (!evaluation.ok()) {
      ++report_.failed_evaluations;
      return false;
    }
    Eigen::Map<Vector>(residuals, r.size()) = r;
    for (Index k = 0; k < J.cols(); ++k)
      if (jacobians[k]) Eigen::Map<Vector>(jacobians[k], r.size()) = J.col(k);
    return true;
  }

 private:
  const Residual& residual_;
  MinimizerReport& report_;
  std::string& last_failure_;
};

/// Which parameters to hold on their bound: those that lie on it while the gradient pushes outwards.
std::vector<bool> find_held(const Residual& residual, const Vector& theta, const Bounds& bounds) {
  std::vector<bool> held(static_cast<std::size_t>(theta.size()), false);
  const auto on = [&](const Vector& bound, Index k) { return bound.size() > 0 && theta[k] == bound[k]; };
  bool any = false;
  for (Index k = 0; k < theta.size(); ++k) any = any || on(bounds.lower, k) || on(bounds.upper, k);
  if (!any) return held;
  Vector r;
  Eigen::MatrixXd J;
  if (!residual.evaluate(theta, r, &J).ok()) return held;
  const Vector gradient = J.transpose() * r;
  for (Index k = 0; k < theta.size(); ++k)
    held[static_cast<std::size_t>(k)] =
        (on(bounds.lower, k) && gradient[k] > 0) || (on(bounds.upper, k) && gradient[k] < 0);
  return held;
}

}  // namespace

MinimizerReport levenberg_marquardt(const Residual& residual, const Vector& start, const Bounds& bounds,
                                    const MinimizerOptions& options) {
  const Index P = residual.parameters();
  check_start(start, bounds, P);
  const QuietLog quiet;
  MinimizerReport report;
  report.theta = start;
  std::string last_failure;

  ceres::Problem problem;
  std::vector<double*> blocks;
  for (Index k = 0; k < P; ++k) blocks.push_back(&report.theta[k]);
  problem.AddResidualBlock(new ResidualCost(residual, report, last_failure), nullptr, blocks);
  for (Index k = 0; k < P; ++k) {
    if (bounds.lower.size() > 0 && std::isfinite(bounds.lower[k]))
      problem.SetParameterLowerBound(blocks[static_cast<std::size_t>(k)], 0, bounds.lower[k]);
    if (bounds.upper.size() > 0 && std::isfinite(bounds.upper[k]))
      problem.SetParameterUpperBound(blocks[static_cast<std::size_t>(k)], 0, bounds.upper[k]);
  }

  IterationWatch watch(options, report, [&] { return report.theta; });
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = options.gradient_tolerance;
  solver.parameter_tolerance = options.parameter_tolerance;
  // Each rollout that fails shrinks the trust region further; ten of them in a row reach about 2^-50 of it.
  solver.max_num_consecutive_invalid_steps = 10;
  solver.num_threads = 1;  // the residual itself is parallel
  solver.logging_type = ceres::SILENT;
  solver.update_state_every_iteration = true;
  solver.callbacks.push_back(watch.callback());

  // Ceres projects steps onto the bounds, which is slow along a bound because the other parameters still move as if
  // this one were free. So search again with the parameters that rest on a bound held there, until the same ones are
  // held.
  std::vector<bool> held(static_cast<std::size_t>(P), false);
  for (;;) {
    solver.max_num_iterations = options.max_iterations - std::max(0, static_cast<int>(report.cost_history.size()) - 1);
    ceres::Solver::Summary summary;
    ceres::Solve(solver, &problem, &summary);
    if (!report.cost_history.empty()) report.cost = summary.final_cost;
    conclude(summary.termination_type, summary.message, last_failure, report);
    if (report.status != MinimizerStatus::Converged && report.status != MinimizerStatus::Stalled) break;
    std::vector<bool> now = find_held(residual, report.theta, bounds);
    if (now == held || static_cast<int>(report.cost_history.size()) > options.max_iterations) break;
    held = std::move(now);
    for (std::size_t k = 0; k < held.size(); ++k)
      held[k] ? problem.SetParameterBlockConstant(blocks[k]) : problem.SetParameterBlockVariable(blocks[k]);
  }
  return report;
}

}  // namespace pithball::optim
