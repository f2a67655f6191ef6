#pragma once
#include <memory>
#include <string>

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
  /// Of `solution.problem`, from δ = 0; the rest of `solution` is filled in also if the report says that the stage did
  /// not converge. A solution that is used again needs no new memory.
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

}  // namespace pithball::sim
