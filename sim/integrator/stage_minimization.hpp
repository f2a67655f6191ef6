#pragma once
#include "sim/integrator/stage_linear_solver.hpp"

namespace pithball::sim {

/// A stage, and the solver of its linear systems.
struct StageTask {
  const Model& model;           ///< provides forces and masses
  const StageProblem& problem;  ///< what is solved
  const StageOptions& options;  ///< tolerance and largest number of Newton steps
  StageLinearSolver& linear;    ///< prepared for the model and the stage's step
  BlockMatrix& H;               ///< workspace
};

/// Newton's method with line search on Φ of `StageProblem` from δ = 0, until a local minimum is reached within
/// `StageLimits` or no step lowers Φ. Returns δ, and a preconditioner of H near it.
StageReport minimize_stage(const StageTask& task, StageSolution& solution);

}  // namespace pithball::sim
