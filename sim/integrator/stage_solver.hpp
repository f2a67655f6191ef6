#pragma once
#include <memory>
#include <string>

#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/integrator/stage_problem.hpp"

namespace pithball::sim {

/// Solves the stage problems of models with one structure: Newton with line search on Φ, from the predictor, which is
/// the solution only without forces. Only a local minimum is accepted; at a saddle the iteration follows negative
/// curvature. Holds the symbolic analyses and the prefactorization of M + g²L, which never change a result beyond the
/// stage tolerance and depend on the model alone, not on earlier steps.
class StageSolver {
 public:
  /// Throws InvalidArgument for a linear solver that `linear_solvers()` does not list.
  explicit StageSolver(StageOptions options);
  ~StageSolver();
  /// Solves `solution.problem` from δ = 0; the rest of `solution` is filled in even if the report says that the stage
  /// did not converge. A solution that is reused needs no new memory.
  StageReport solve(const Model& model, StageSolution& solution);
  /// The same for a copy of the problem.
  StageReport solve(const Model& model, const StageProblem& problem, StageSolution& solution);
  /// The linear solver in use: the choice of `auto`, made at the first stage by a cost model from the model's stiffness
  /// and size, or the requested one. Empty before the first stage.
  const std::string& linear_solver() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

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
