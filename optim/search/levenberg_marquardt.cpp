#include "optim/search/levenberg_marquardt.hpp"

#include <ceres/cost_function.h>
#include <ceres/evaluation_callback.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "optim/search/ceres_support.hpp"

namespace pithball::optim {
namespace {

/// The problem as given to Ceres: θ_k = start_k + unit_k u_k and r/unit, so that at the start every column of the
/// Jacobian and the residual have a length near 1. Ceres's own constants (the least damping 1e-6, the "1 +" in its
/// scaling of columns, and its measure |u| of the distance covered) assume numbers of that size. Units are powers of
/// two.
class Scaling {
 public:
  Scaling(const Vector& start, const Bounds& bounds) : start_(start), bounds_(bounds) {}

  void set_units(const Vector& r, const Vector& column_norms) {
    residual_unit_ = binary_unit(r.norm());
    unit_.resize(start_.size());
    for (Index k = 0; k < start_.size(); ++k)
      unit_[k] = column_norms[k] > 0 ? residual_unit_ / binary_unit(column_norms[k]) : 1;
  }
  const Bounds& bounds() const { return bounds_; }
  double residual_unit() const { return residual_unit_; }
  double unit(Index k) const { return unit_[k]; }
  double lower(Index k) const { return (bounds_.lower[k] - start_[k]) / unit_[k]; }
  double upper(Index k) const { return (bounds_.upper[k] - start_[k]) / unit_[k]; }
  /// Returns θ, exactly on a bound if u is.
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

/// Whether the gradient only pushes θ_k out of its bounds.
bool pushes_out(const Vector& theta, const Bounds& bounds, Index k, double gradient) {
  const auto on = [&](const Vector& bound) { return bound.size() > 0 && theta[k] == bound[k]; };
  return (on(bounds.lower) && gradient > 0) || (on(bounds.upper) && gradient < 0);
}

/// The structure of the residual, and sums over the columns of Jacobians stored in it.
class Structure {
 public:
  explicit Structure(const Residual& residual) : structure_(residual.structure()), first_{0} {
    for (const Index size : structure_.block_sizes) first_.push_back(first_.back() + size);
  }
  using Part = ResidualStructure::Part;
  const std::vector<Part>& parts() const { return structure_.parts; }
  Index parameters() const { return first_.back(); }
  Index blocks() const { return static_cast<Index>(structure_.block_sizes.size()); }
  Index first(Index block) const { return first_[block]; }
  Index size(Index block) const { return structure_.block_sizes[block]; }
  Vector column_norms(const Eigen::MatrixXd& J) const {
    return sums(J, [](const auto& column, const Part&) { return column.squaredNorm(); }).cwiseSqrt();
  }
  /// Jᵀ r
  Vector gradient(const Eigen::MatrixXd& J, const Vector& r) const {
    return sums(J,
                [&](const auto& column, const Part& part) { return column.dot(r.segment(part.first_row, part.rows)); });
  }

 private:
  template <class Sum>
  Vector sums(const Eigen::MatrixXd& J, Sum sum) const {
    Vector sums = Vector::Zero(first_.back());
    for (const Part& part : parts())
      for (const auto& [block, column] : part.uses)
        for (Index k = 0; k < size(block); ++k)
          sums[first(block) + k] += sum(J.col(column + k).segment(part.first_row, part.rows), part);
    return sums;
  }

  ResidualStructure structure_;
  std::vector<Index> first_;  ///< first parameter of each block, then the number of parameters
};

/// Evaluates the residual at any θ, in its own units; stores earlier points as far as a search needs them.
class RememberedResidual {
 public:
  /// Failed evaluations are counted in `report`.
  RememberedResidual(const Residual& residual, MinimizerReport& report) : residual_(residual), report_(report) {}

  /// Computes r and, unless null, J; false if they cannot be evaluated.
  bool evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) {
    if (J && known_.theta.size() == theta.size() && known_.theta == theta) {  // the start, or a resumed search
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
  const std::string& last_failure() const { return last_failure_; }
  /// Returns the step from the last point with a Jacobian to the last tried point; infinite if there was none.
  Vector last_step() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return trial_.size() == 0 ? Vector::Constant(known_.theta.size(), infinity) : Vector(trial_ - known_.theta);
  }

 private:
  const Residual& residual_;
  MinimizerReport& report_;
  std::string last_failure_;
  struct Known {
    Vector theta, r;
    Eigen::MatrixXd J;
  };
  Known known_;  ///< the last Jacobian
  Vector trial_;
};

/// Evaluates the whole residual once for all cost functions of Ceres, at the θ of `u`, which Ceres sets beforehand.
class SharedEvaluation final : public ceres::EvaluationCallback {
 public:
  SharedEvaluation(RememberedResidual& residual, const Structure& structure, const Scaling& scaling, const Vector& u)
      : residual_(residual), structure_(structure), scaling_(scaling), u_(u) {}

  void PrepareForEvaluation(bool with_jacobian, bool is_new) override {
    if (is_new) ok_ = has_jacobian_ = false;
    if (ok_ && (has_jacobian_ || !with_jacobian)) return;
    const Vector theta = scaling_.theta(u_);
    ok_ = residual_.evaluate(theta, r_, with_jacobian ? &J_ : nullptr);
    has_jacobian_ = ok_ && with_jacobian;
    if (has_jacobian_) measure_angles(theta);
  }
  bool ok() const { return ok_; }
  const Vector& r() const { return r_; }
  const Eigen::MatrixXd& J() const { return J_; }
  const Structure& structure() const { return structure_; }
  const Scaling& scaling() const { return scaling_; }
  /// Returns the largest cosine of the angle between the residual and a column of its last Jacobian, which Ceres
  /// requests at accepted points.
  double largest_cosine() const { return largest_cosine_; }
  /// Excludes these parameters from `largest_cosine`.
  void hold(std::vector<bool> held) { held_ = std::move(held); }

 private:
  void measure_angles(const Vector& theta) {
    const Vector gradient = structure_.gradient(J_, r_), norms = structure_.column_norms(J_);
    largest_cosine_ = 0;
    for (Index k = 0; k < theta.size(); ++k) {
      const double scale = norms[k] * r_.norm();
      const bool held = !held_.empty() && held_[k];
      if (scale > 0 && !held && !pushes_out(theta, scaling_.bounds(), k, gradient[k]))
        largest_cosine_ = std::max(largest_cosine_, std::abs(gradient[k]) / scale);
    }
  }

  RememberedResidual& residual_;
  const Structure& structure_;
  const Scaling& scaling_;
  const Vector& u_;
  Vector r_;
  Eigen::MatrixXd J_;
  bool ok_ = false, has_jacobian_ = false;
  double largest_cosine_ = 1;
  std::vector<bool> held_;
};

/// A part of the residual as a Ceres cost function.
class PartCost final : public ceres::CostFunction {
 public:
  PartCost(const SharedEvaluation& shared, const Structure::Part& part) : shared_(shared), part_(part) {
    set_num_residuals(part.rows);
    for (const auto& use : part.uses) mutable_parameter_block_sizes()->push_back(shared.structure().size(use.block));
  }

  bool Evaluate(const double* const*, double* residuals, double** jacobians) const override {
    if (!shared_.ok()) return false;
    const Scaling& scaling = shared_.scaling();
    Eigen::Map<Vector>(residuals, part_.rows) =
        shared_.r().segment(part_.first_row, part_.rows) / scaling.residual_unit();
    for (std::size_t u = 0; jacobians && u < part_.uses.size(); ++u) {
      if (!jacobians[u]) continue;
      const auto& [block, column] = part_.uses[u];
      const Index size = shared_.structure().size(block), first = shared_.structure().first(block);
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> to(jacobians[u], part_.rows,
                                                                                            size);
      for (Index k = 0; k < size; ++k)
        to.col(k) = shared_.J().col(column + k).segment(part_.first_row, part_.rows) *
                    (scaling.unit(first + k) / scaling.residual_unit());
    }
    return true;
  }

 private:
  const SharedEvaluation& shared_;
  const Structure::Part& part_;
};

/// Finds the parameters to hold on their bound: those that lie on it with the gradient pushing outward.
std::vector<bool> find_held(RememberedResidual& residual, const Structure& structure, const Vector& theta,
                            const Bounds& bounds) {
  std::vector<bool> held(theta.size(), false);
  const auto on = [&](const Vector& bound, Index k) { return bound.size() > 0 && theta[k] == bound[k]; };
  bool any = false;
  for (Index k = 0; k < theta.size(); ++k) any = any || on(bounds.lower, k) || on(bounds.upper, k);
  if (!any) return held;
  Vector r;
  Eigen::MatrixXd J;
  if (!residual.evaluate(theta, r, &J)) return held;
  const Vector gradient = structure.gradient(J, r);
  for (Index k = 0; k < theta.size(); ++k) held[k] = pushes_out(theta, bounds, k, gradient[k]);
  return held;
}

ceres::Solver::Options solver_options(const MinimizerOptions& options, const Structure& structure,
                                      ceres::IterationCallback* watch) {
  constexpr Index few = 300;  // parameters for which the more exact factorization takes at most a fraction of a second
  const bool dense = structure.parts().size() == 1 || structure.parameters() <= few;
  ceres::Solver::Options solver;
  solver.linear_solver_type = dense ? ceres::DENSE_QR : ceres::SPARSE_NORMAL_CHOLESKY;
  solver.function_tolerance = options.function_tolerance;
  solver.gradient_tolerance = 0;  // the watch decides
  solver.parameter_tolerance = options.parameter_tolerance;
  // Each failed rollout shrinks the trust region further; ten in a row reach about 2^-50 of it.
  solver.max_num_consecutive_invalid_steps = 10;
  solver.num_threads = 1;  // the residual itself is parallel
  solver.logging_type = ceres::SILENT;
  solver.update_state_every_iteration = true;
  solver.callbacks.push_back(watch);
  return solver;
}

/// Adds the parts of the residual as functions of u, within the bounds.
void add_parts(const SharedEvaluation& shared, Vector& u, ceres::Problem& problem) {
  for (const Structure::Part& part : shared.structure().parts()) {
    std::vector<double*> blocks;
    for (const auto& use : part.uses) blocks.push_back(&u[shared.structure().first(use.block)]);
    problem.AddResidualBlock(new PartCost(shared, part), nullptr, blocks);  // owned by the problem
  }
}

void set_bounds(const Scaling& scaling, const Structure& structure, Vector& u, ceres::Problem& problem) {
  const Bounds& bounds = scaling.bounds();
  for (Index block = 0; block < structure.blocks(); ++block)
    for (int k = 0; k < structure.size(block); ++k) {
      const Index first = structure.first(block), entry = first + k;
      if (bounds.lower.size() > 0 && std::isfinite(bounds.lower[entry]))
        problem.SetParameterLowerBound(&u[first], k, scaling.lower(entry));
      if (bounds.upper.size() > 0 && std::isfinite(bounds.upper[entry]))
        problem.SetParameterUpperBound(&u[first], k, scaling.upper(entry));
    }
}

/// Fixes the blocks of the held parameters. Each has one parameter, since larger blocks have no bounds.
void hold(const std::vector<bool>& held, const Structure& structure, Vector& u, ceres::Problem& problem) {
  for (Index block = 0; block < structure.blocks(); ++block) {
    const Index first = structure.first(block);
    if (structure.size(block) > 1) continue;
    held[first] ? problem.SetParameterBlockConstant(&u[first]) : problem.SetParameterBlockVariable(&u[first]);
  }
}

}  // namespace

MinimizerReport levenberg_marquardt(const Residual& residual, const Vector& start, const Bounds& bounds,
                                    const MinimizerOptions& options, const MinimizerWatch& watch) {
  const Index P = residual.parameters();
  check_start(start, bounds, P);
  const QuietLog quiet;
  MinimizerReport report;
  report.theta = start;
  Scaling scaling(start, bounds);
  Vector u = Vector::Zero(P);
  const Structure structure(residual);
  RememberedResidual remembered(residual, report);
  {
    Vector r;
    Eigen::MatrixXd J;
    if (!remembered.evaluate(start, r, &J)) {
      report.message = "cannot evaluate: " + remembered.last_failure();
      return report;
    }
    scaling.set_units(r, structure.column_norms(J));
  }
  SharedEvaluation shared(remembered, structure, scaling, u);
  ceres::Problem::Options shared_by_all;
  shared_by_all.evaluation_callback = &shared;
  ceres::Problem problem(shared_by_all);
  add_parts(shared, u, problem);
  set_bounds(scaling, structure, u, problem);

  const double cost_unit = scaling.residual_unit() * scaling.residual_unit();
  IterationWatch told(watch, report,
                      {cost_unit, [&] { return scaling.theta(u); },
                       [&](double, double, bool accepted) -> const char* {
                         if (shared.largest_cosine() <= options.gradient_tolerance) return gradient_message;
                         const bool lost = !accepted && is_negligible(remembered.last_step(), scaling.theta(u),
                                                                      options.parameter_tolerance);
                         return lost ? parameter_message : nullptr;
                       }});
  ceres::Solver::Options solver = solver_options(options, structure, told.callback());
  // Ceres projects steps onto the bounds, which is slow along a bound because the other parameters still move as if
  // this one were free. So the search is repeated with the parameters on a bound held there, until the set of held
  // parameters no longer changes.
  std::vector<bool> held(P, false);
  for (;;) {
    solver.max_num_iterations = options.max_iterations - std::max(0, static_cast<int>(report.cost_history.size()) - 1);
    ceres::Solver::Summary summary;
    ceres::Solve(solver, &problem, &summary);
    report.theta = scaling.theta(u);
    if (!report.cost_history.empty()) report.cost = summary.final_cost * cost_unit;
    told.conclude(summary.termination_type, summary.message, remembered.last_failure());
    if (report.status != MinimizerStatus::Converged && report.status != MinimizerStatus::Stalled) break;
    std::vector<bool> now = find_held(remembered, structure, report.theta, bounds);
    if (now == held || static_cast<int>(report.cost_history.size()) > options.max_iterations) break;
    held = std::move(now);
    hold(held, structure, u, problem);
    shared.hold(held);
  }
  return report;
}

}  // namespace pithball::optim
