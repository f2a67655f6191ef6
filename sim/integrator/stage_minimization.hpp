#pragma once
#include "sim/integrator/stage_linear_solver.hpp"

namespace pithball::sim {

/// A stage, and what solves its linear systems.
struct StageTask {
  const Model& model;
  const StageProblem& problem;
  const StageOptions& options;
  StageLinearSolver& linear;  ///< ready for the model and the stage's step
  BlockMatrix& H;             ///< workspace
};

/// Newton's method with line search on Φ of `StageProblem` from δ = 0, until a local minimum is reached to the limits
/// of `StageLimits` or no step leads on. Gives δ, and a preconditioner of H near it.
StageReport minimize_stage(const StageTask& task, StageSolution& solution);

}  // namespace pithball::sim
