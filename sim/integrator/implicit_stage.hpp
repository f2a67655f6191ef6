#pragma once
#include "sim/integrator/stage_linear_solver.hpp"

namespace pithball::sim {

/// The stage problem of integrators that treat every force implicitly: find z with
///   M (z − y) = g² F(z, w + (z − y)/g, t),
/// with F the sum of all forces; `StageProblem::lagged` and `force` are not used. Charges make its matrix J = M − g²
/// ∂F/∂x − g ∂F/∂v indefinite and dampers make it unsymmetric, so Newton's method uses products with J and GMRES,
/// preconditioned by the stage Hessian of the implicit terms alone or the prefactored M + g²L, according to
/// `StageOptions::linear_solver`. A step that does not lower the residual is halved.
class ImplicitStageSolver {
 public:
  /// A linear solver that `linear_solvers()` lists, tolerance and largest number of Newton steps.
  explicit ImplicitStageSolver(StageOptions options);

  /// Newton's method from y until the residual is within `StageLimits`, or as small as rounding allows.
  StageReport solve(const Model& model, const StageProblem& problem, StageSolution& solution);

  /// One Newton step from the state at the beginning: solves the linearization of the forces there, in x and v,
  /// exactly. Held particles move to their positions in the predictor. The report's residual is that of the linear
  /// system, relative to its right-hand side.
  StageReport solve_linearized(const Model& model, const StageProblem& problem, const State& beginning,
                               StageSolution& solution);

  /// As `StageSolver::linear_solver`.
  const std::string& linear_solver() const { return linear_.kind(); }

 private:
  void prepare(const Model&, const StageProblem&);
  std::shared_ptr<const Preconditioner> precondition(const Model&, const StageProblem&, const Points& change);
  /// J step = rhs with the forces' linearization at a state.
  struct LinearSystem {
    const State& at;
    const Preconditioner& preconditioner;
    Points rhs;
    double tolerance;  ///< on the residual, relative to rhs
  };
  /// Computes the step and returns the relative residual, NaN if something is not finite.
  double solve_linear(const Model&, const StageProblem&, const LinearSystem&, Points& step, StageReport&);

  StageOptions options_;
  StageLinearSolver linear_;
  std::shared_ptr<BlockMatrix> H_;  // of the implicit terms, where it was last needed
};

}  // namespace pithball::sim
