#include "optim/levenberg_marquardt.hpp"

#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <cmath>

#include "optim/ceres_support.hpp"

namespace pithball::optim {
namespace {

/// The whole residual as one Ceres cost function of one parameter block.
class ResidualCost final : public ceres::CostFunction {
 public:
  ResidualCost(const Residual& residual, MinimizerReport& report, std::string& last_failure)
      : residual_(residual), report_(report), last_failure_(last_failure) {
    set_num_residuals(static_cast<int>(residual.rows()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(residual.parameters()));
  }

  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    const Vector theta = Eigen::Map<const Vector>(parameters[0], residual_.parameters());
    const bool wants_jacobian = jacobians && jacobians[0];
    Vector r;
    Eigen::MatrixXd J;
    Evaluation evaluation = residual_.evaluate(theta, r, wants_jacobian ? &J : nullptr);
    if (evaluation.ok() && !(r.allFinite() && J.allFinite())) evaluation.failure = "a residual is not finite";
    last_failure_ = evaluation.failure;
    if (!evaluation.ok()) {
      ++report_.failed_evaluations;
      return false;
    }
    Eigen::Map<Vector>(residuals, r.size()) = r;
    if (wants_jacobian)
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(jacobians[0], J.rows(),
                                                                                         J.cols()) = J;
    return true;
  }

 private:
  const Residual& residual_;
  MinimizerReport& report_;
  std::string& last_failure_;
};

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
  problem.AddResidualBlock(new ResidualCost(residual, report, last_failure), nullptr, report.theta.data());
  for (Index k = 0; k < P; ++k) {
    if (bounds.lower.size() > 0 && std::isfinite(bounds.lower[k]))
      problem.SetParameterLowerBound(report.theta.data(), static_cast<int>(k), bounds.lower[k]);
    if (bounds.upper.size() > 0 && std::isfinite(bounds.upper[k]))
      problem.SetParameterUpperBound(report.theta.data(), static_cast<int>(k), bounds.upper[k]);
  }

  IterationWatch watch(options, report, [&] { return report.theta; });
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = options.gradient_tolerance;
  solver.parameter_tolerance = options.parameter_tolerance;
  // Each rollout that fails shrinks the trust region further; ten of them in a row reach about 2^-50 of it.
  solver.max_num_consecutive_invalid_steps = 10;
  solver.num_threads = 1;  // the residual itself is parallel
  solver.logging_type = ceres::SILENT;
  solver.update_state_every_iteration = true;
  solver.callbacks.push_back(&watch);
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);

  if (!report.cost_history.empty()) report.cost = summary.final_cost;
  conclude(summary.termination_type, summary.message, last_failure, report);
  return report;
}

}  // namespace pithball::optim
