#include "optim/search/levenberg_marquardt.hpp"

#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "optim/search/ceres_support.hpp"

namespace pithball::optim {
namespace {

/// The problem as Ceres sees it: θ_k = start_k + unit_k u_k and r/unit, so that at the start every column of the
/// Jacobian and the residual have a length near 1. Ceres's own constants (the least damping 1e-6, the "1 +" of its
/// scaling of columns, and its measure |u| of the way come so far) are meant for numbers of that size. Units are powers
/// of two.
class Scaling {
 public:
  Scaling(const Vector& start, const Bounds& bounds) : start_(start), bounds_(bounds) {}

  void set_units(const Vector& r, const Eigen::MatrixXd& J) {
    residual_unit_ = binary_unit(r.norm());
    unit_.resize(start_.size());
    for (Index k = 0; k < start_.size(); ++k) {
      const double column = J.col(k).norm();
      unit_[k] = column > 0 ? residual_unit_ / binary_unit(column) : 1;
    }
  }
  double residual_unit() const { return residual_unit_; }
  double unit(Index k) const { return unit_[k]; }
  double lower(Index k) const { return (bounds_.lower[k] - start_[k]) / unit_[k]; }
  double upper(Index k) const { return (bounds_.upper[k] - start_[k]) / unit_[k]; }
  /// On a bound exactly where u is.
  double theta(Index k, double u) const {
    double theta = start_[k] + unit_[k] * u;
    if (bounds_.lower.size() > 0) theta = u <= lower(k) ? bounds_.lower[k] : std::max(theta, bounds_.lower[k]);
    if (bounds_.upper.size() > 0) theta = u >= upper(k) ? bounds_.upper[k] : std::min(theta, bounds_.upper[k]);
    return theta;
  }
  Vector theta(const Vector& u) const {
    Vector theta(u.size());
    for (Index k = 0; k < u.size(); ++k) theta[k] = this->theta(k, u[k]);
    return theta;
  }

 private:
  const Vector& start_;
  const Bounds& bounds_;
  double residual_unit_ = 1;
  Vector unit_;
};

/// A gradient that would only push θ_k out of its bounds.
bool pushes_out(const Vector& theta, const Bounds& bounds, Index k, double gradient) {
  const auto on = [&](const Vector& bound) { return bound.size() > 0 && theta[k] == bound[k]; };
  return (on(bounds.lower) && gradient > 0) || (on(bounds.upper) && gradient < 0);
}

/// The whole residual as one Ceres cost function. Every parameter is a block of its own, so that each can be held
/// fixed.
class ResidualCost final : public ceres::CostFunction {
 public:
  ResidualCost(const Residual& residual, const Bounds& bounds, const Scaling& scaling, MinimizerReport& report,
               std::string& last_failure)
      : residual_(residual), bounds_(bounds), scaling_(scaling), report_(report), last_failure_(last_failure) {
    set_num_residuals(residual.rows());
    mutable_parameter_block_sizes()->assign(residual.parameters(), 1);
  }

  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    Vector theta(residual_.parameters()), r;
    for (Index k = 0; k < theta.size(); ++k) theta[k] = scaling_.theta(k, *parameters[k]);
    Eigen::MatrixXd J;
    if (!evaluate(theta, r, jacobians ? &J : nullptr)) return false;
    Eigen::Map<Vector>(residuals, r.size()) = r / scaling_.residual_unit();
    if (!jacobians) return true;
    largest_cosine_ = 0;
    for (Index k = 0; k < J.cols(); ++k) {
      if (!jacobians[k]) continue;
      Eigen::Map<Vector>(jacobians[k], r.size()) = J.col(k) * (scaling_.unit(k) / scaling_.residual_unit());
      const double gradient = J.col(k).dot(r), scale = J.col(k).norm() * r.norm();
      if (scale > 0 && !pushes_out(theta, bounds_, k, gradient))
        largest_cosine_ = std::max(largest_cosine_, std::abs(gradient) / scale);
    }
    return true;
  }
  /// The same at any θ, in its own units; false: it cannot be evaluated there.
  bool evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const {
    if (J && known_.theta.size() == theta.size() && known_.theta == theta) {  // the start, or a search taken up again
      r = known_.r;
      *J = known_.J;
      return true;
    }
    Evaluation evaluation = residual_.evaluate(theta, r, J);
    if (evaluation.ok() && !(r.allFinite() && (!J || J->allFinite()))) evaluation.failure = "a residual is not finite";
    last_failure_ = evaluation.failure;
    if (!evaluation.ok()) ++report_.failed_evaluations;
    if (!J) trial_ = theta;
    if (J && evaluation.ok()) known_ = {theta, r, *J};
    return evaluation.ok();
  }
  /// Of the angles between the residual and the columns of its last Jacobian, which Ceres asks for at points that it
  /// accepts.
  double largest_cosine() const { return largest_cosine_; }
  /// From there to the last point that was tried; infinite if none was.
  Vector last_step() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return trial_.size() == 0 ? Vector::Constant(known_.theta.size(), infinity) : Vector(trial_ - known_.theta);
  }

 private:
  const Residual& residual_;
  const Bounds& bounds_;
  const Scaling& scaling_;
  MinimizerReport& report_;
  std::string& last_failure_;
  struct Known {
    Vector theta, r;
    Eigen::MatrixXd J;
  };
  mutable Known known_;  ///< the last Jacobian
  mutable Vector trial_;
  mutable double largest_cosine_ = 1;
};

/// Which parameters to hold on their bound: those that lie on it while the gradient pushes outwards.
std::vector<bool> find_held(const ResidualCost& cost, const Vector& theta, const Bounds& bounds) {
  std::vector<bool> held(theta.size(), false);
  const auto on = [&](const Vector& bound, Index k) { return bound.size() > 0 && theta[k] == bound[k]; };
  bool any = false;
  for (Index k = 0; k < theta.size(); ++k) any = any || on(bounds.lower, k) || on(bounds.upper, k);
  if (!any) return held;
  Vector r;
  Eigen::MatrixXd J;
  if (!cost.evaluate(theta, r, &J)) return held;
  const Vector gradient = J.transpose() * r;
  for (Index k = 0; k < theta.size(); ++k) held[k] = pushes_out(theta, bounds, k, gradient[k]);
  return held;
}

ceres::Solver::Options solver_options(const MinimizerOptions& options, ceres::IterationCallback* watch) {
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = 0;  // the watch knows better
  solver.parameter_tolerance = options.parameter_tolerance;
  // Each rollout that fails shrinks the trust region further; ten of them in a row reach about 2^-50 of it.
  solver.max_num_consecutive_invalid_steps = 10;
  solver.num_threads = 1;  // the residual itself is parallel
  solver.logging_type = ceres::SILENT;
  solver.update_state_every_iteration = true;
  solver.callbacks.push_back(watch);
  return solver;
}

void set_bounds(const Bounds& bounds, const Scaling& scaling, const std::vector<double*>& blocks,
                ceres::Problem& problem) {
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Index entry = k;
    if (bounds.lower.size() > 0 && std::isfinite(bounds.lower[entry]))
      problem.SetParameterLowerBound(blocks[k], 0, scaling.lower(entry));
    if (bounds.upper.size() > 0 && std::isfinite(bounds.upper[entry]))
      problem.SetParameterUpperBound(blocks[k], 0, scaling.upper(entry));
  }
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

  Scaling scaling(start, bounds);
  auto* cost = new ResidualCost(residual, bounds, scaling, report, last_failure);  // owned by the problem
  ceres::Problem problem;
  Vector u = Vector::Zero(P);
  std::vector<double*> blocks;
  for (Index k = 0; k < P; ++k) blocks.push_back(&u[k]);
  problem.AddResidualBlock(cost, nullptr, blocks);
  {
    Vector r;
    Eigen::MatrixXd J;
    if (!cost->evaluate(start, r, &J)) {
      report.message = "cannot evaluate: " + last_failure;
      return report;
    }
    scaling.set_units(r, J);
  }
  set_bounds(bounds, scaling, blocks, problem);

  const double cost_unit = scaling.residual_unit() * scaling.residual_unit();
  IterationWatch watch(options, report,
                       {cost_unit, [&] { return scaling.theta(u); },
                        [&](double, double, bool accepted) -> const char* {
                          if (cost->largest_cosine() <= options.gradient_tolerance) return gradient_message;
                          const bool lost = !accepted && is_negligible(cost->last_step(), scaling.theta(u),
                                                                       options.parameter_tolerance);
                          return lost ? parameter_message : nullptr;
                        }});
  ceres::Solver::Options solver = solver_options(options, watch.callback());
  // Ceres projects steps onto the bounds, which is slow along a bound because the other parameters still move as if
  // this one were free. So search again with the parameters that rest on a bound held there, until the same ones are
  // held.
  std::vector<bool> held(P, false);
  for (;;) {
    solver.max_num_iterations = options.max_iterations - std::max(0, static_cast<int>(report.cost_history.size()) - 1);
    ceres::Solver::Summary summary;
    ceres::Solve(solver, &problem, &summary);
    report.theta = scaling.theta(u);
    if (!report.cost_history.empty()) report.cost = summary.final_cost * cost_unit;
    watch.conclude(summary.termination_type, summary.message, last_failure);
    if (report.status != MinimizerStatus::Converged && report.status != MinimizerStatus::Stalled) break;
    std::vector<bool> now = find_held(*cost, report.theta, bounds);
    if (now == held || static_cast<int>(report.cost_history.size()) > options.max_iterations) break;
    held = std::move(now);
    for (std::size_t k = 0; k < held.size(); ++k)
      held[k] ? problem.SetParameterBlockConstant(blocks[k]) : problem.SetParameterBlockVariable(blocks[k]);
  }
  return report;
}

}  // namespace pithball::optim
