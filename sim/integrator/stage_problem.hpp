#pragma once
#include <memory>
#include <string>

#include "sim/core/types.hpp"
#include "sim/linear/preconditioner.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// The one implicit problem behind every IMEX step: find z with
///   M (z − y) = g² [ f_s(z) + f_d + p ],
/// where f_s are the implicit forces that depend on positions (springs) and f_d = F_d(x̄, (z − r)/g, t) those that are
/// linear in velocity (dampers, linear drag), evaluated along *lagged* positions x̄. Lagging keeps it the minimisation of
///   Φ(z) = ½ (z−y)ᵀM(z−y) + g² (U_s(z) − zᵀp) − (g²/2) (F_d(z) + F_d(r))·(z − r),
/// with the symmetric Hessian H = M + g C + g² K(z), C = −∂F_d/∂v, K = ∂²U_s/∂x².
struct StageProblem {
  double g = 0;       ///< effective step [s]
  double t = 0;       ///< the stage's own time [s], for winds and driven particles
  Points predictor;   ///< y [m], where the solution starts; columns of held particles carry their place at the stage
  Points reference;   ///< r [m]: velocities are (z − r)/g
  Points lagged;      ///< x̄ [m]: directions of dampers
  Points force;       ///< p, explicit forces [N]
};

/// A converged stage: what its derivative needs.
struct StageSolution {
  StageProblem problem;
  Points z;  ///< [m]
  std::shared_ptr<const Preconditioner> preconditioner;  ///< of H at or near z: the factorisation that the step made, or the prefactorisation
  std::shared_ptr<const BlockMatrix> hessian = nullptr;  ///< H at z, where it is kept for several passes of derivatives
  std::size_t bytes() const;
};

/// Settings that all implicit schemes share.
struct StageOptions {
  std::string linear_solver = "auto";  ///< auto | block_jacobi_cg | prefactored_cg | cholesky
  double tolerance = 1e-12;            ///< of max_i |M(z−y) − g²(f+p)|_i / (m_i ℓ̄), ℓ̄ the mean rest length
  int max_iterations = 100;            ///< Newton steps
};

/// The names that `StageOptions::linear_solver` accepts.
const std::vector<std::string>& linear_solvers();

/// The state at which the velocity-linear terms are evaluated: (x̄, (z − r)/g, t).
State damping_state(const StageProblem& problem, const Points& z);

/// H at z. With `definite` springs under compression lose their negative transverse stiffness (regularised Newton steps).
void assemble_stage_hessian(const Model& model, const StageProblem& problem, const Points& z, bool definite, BlockMatrix& H);

/// H at the stage's solution: the one that is kept, or a new one.
std::shared_ptr<const BlockMatrix> stage_hessian(const Model& model, const StageSolution& solution);

/// The scaled residual that rounding alone leaves: positions carry ε|z|, and the stiffest free particle multiplies what it
/// and its neighbours carry by 1 + g²Σk/m. The factor 16 covers the few roundings of each spring's force.
double stage_rounding_floor(const Model& model, const BlockMatrix& H, const Points& z);

/// How a stage ended.
struct StageReport {
  bool converged = false;
  bool derivative_reliable = true;  ///< false where H is nearly singular or could not be shown positive definite
  int force_evaluations = 0;  ///< sums over explicit forces; none where p holds them
  int linear_solves = 0;
  int cg_iterations = 0;  ///< of conjugate gradients, or of GMRES
  double residual = 0;
  int escapes = 0;  ///< directions out of a saddle that it drew
};

/// Solves stage problems of one model family: Newton with line search on Φ, from the predictor. Only a local minimum is
/// accepted; at a saddle the iteration follows negative curvature. Holds the symbolic analyses and the prefactorisation
/// of M + g²L, which never change a result beyond the stage tolerance and depend on the model alone, not on earlier steps.
class StageSolver {
 public:
  explicit StageSolver(StageOptions options);
  ~StageSolver();
  StageReport solve(const Model& model, const StageProblem& problem, StageSolution& solution);
  /// The linear solver in use: the choice of `auto`, made at the first stage by a cost model from the model's
  /// stiffness and size, or the name that was asked for. Empty before the first stage.
  const std::string& linear_solver() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pithball::sim
