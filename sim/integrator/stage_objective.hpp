#pragma once
#include <optional>

#include "sim/integrator/stage_problem.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

/// Φ of a stage, up to a constant.
struct StageEnergy {
  double phi = 0;       ///< [kg m²]
  double rounding = 0;  ///< differences of Φ below this are rounding
};

/// A point δ of a stage, and what is known there.
struct StagePoint {
  Points change;                      ///< δ
  Points force;                       ///< f_s + F_d
  Points gradient;                    ///< ∇Φ = M δ − g² (f + p), zero on held particles
  Vector residual;                    ///< its norm for each particle
  std::optional<StageEnergy> energy;  ///< if it was asked for
};

/// The function Φ of `StageProblem` that a stage minimizes, of one stage after the other: its arrays are used again.
class StageObjective {
 public:
  /// Of stages of models with this topology.
  explicit StageObjective(const Topology& topology) : constant_(topology) {}

  /// From now on that of this problem, which must stay where it is.
  void begin(const Model& model, const StageProblem& problem);

  /// Forces and gradient at `at.change`.
  void evaluate(StagePoint& at);
  /// Φ there, computed when it is first asked for.
  const StageEnergy& energy(StagePoint& at);
  /// H there (`assemble_stage_hessian`).
  void assemble_hessian(const Points& change, bool definite, BlockMatrix& H);
  /// The state in which the position-dependent forces act there; valid until the next call of any of these functions.
  const State& elastic_state(const Points& change);

  /// The sparsity pattern of H.
  const std::shared_ptr<const BlockPattern>& pattern() const { return constant_.pattern(); }

 private:
  void move_to(const Points& change);
  /// ∇Φ and its norms, from the force.
  void find_residual(StagePoint& at) const;

  const Model* model_ = nullptr;
  const StageProblem* problem_ = nullptr;
  State elastic_, damping_;  // at the last δ
  BlockMatrix constant_;     // the part of H that does not depend on δ
  bool has_constant_ = false;
};

}  // namespace pithball::sim
