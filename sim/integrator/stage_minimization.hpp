#pragma once
#include <memory>

#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/integrator/stage_problem.hpp"

namespace pithball::sim {

/// Where Newton's method goes next.
struct NewtonDirection {
  Points step;               ///< −H⁻¹ ∇Φ, with the regularized matrix if `regularized`
  Points valley;             ///< p with pᵀH p <= 0 that conjugate gradients found; empty: they found none
  bool regularized = false;  ///< H is not positive definite
};

/// The arrays of a stage, kept from one stage to the next to reuse their memory.
struct StageWorkspace {
  /// For stages of models with this topology.
  explicit StageWorkspace(const Topology& topology)
      : objective(topology), H(std::make_shared<BlockMatrix>(objective.pattern())) {}

  StageObjective objective;        ///< Φ
  std::shared_ptr<BlockMatrix> H;  ///< its Hessian where it was last needed
  StagePoint now;                  ///< where the search is
  StagePoint there;                ///< where it tries to go
  StageLimits limits;              ///< of the residual
  NewtonDirection direction;       ///< from `now`, the direction of the search
  ConjugateGradients gradients;    ///< solves for it
  Points downhill;                 ///< −∇Φ
  Vector by_particle;              ///< a number for each particle
};

/// Everything that is needed to solve a stage.
struct StageTask {
  const Model& model;           ///< provides forces and masses
  const StageOptions& options;  ///< tolerance and largest number of Newton steps
  StageLinearSolver& linear;    ///< prepared for the model and the stage's step
  StageWorkspace& workspace;    ///< of the model's topology
};

/// Newton's method with line search on Φ of `solution.problem` from δ = 0, until a local minimum is reached within
/// `StageLimits` or no step lowers Φ. Returns δ, and the preconditioner where it serves more than one matrix.
StageReport minimize_stage(const StageTask& task, StageSolution& solution);

}  // namespace pithball::sim
