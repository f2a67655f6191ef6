#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "sim/core/types.hpp"
#include "sim/integrator/impulses.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/linear/preconditioner.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// The one implicit problem behind every IMEX step: find z with
///   M (z − y) = g² [ f_s(z) + F_d(x̄, w + (z − y)/g, t) + p ],
/// where f_s are the implicit position-dependent forces (springs) and F_d the velocity-dependent ones of the stage
/// (dampers, linear drag; with `drag` also quadratic drag and friction), evaluated at *lagged* positions x̄. Lagging
/// keeps it the minimization of
///   Φ(δ) = ½ δᵀMδ + g² (U_s(z) − δᵀp) + g³ R(x̄, w + δ/g),   F_d = −∂R/∂v,
/// with the symmetric Hessian H = M + g C + g² K(z), C = −∂F_d/∂v, K = ∂²U_s/∂x². The unknown is the change δ = z − y
/// caused by forces, so that its accuracy depends neither on the distance from the origin nor on the length of the
/// step.
struct StageProblem {
  double g = 0;       ///< effective step [s]
  double t = 0;       ///< time of the stage [s], for winds and driven particles
  Points start;       ///< reference of displacements [m]
  Points move;        ///< y − start [m]; for held particles: displacement to their position at the stage
  Points velocity;    ///< w [m/s], velocity of the stage without forces; held particles' own
  Points lagged;      ///< x̄ [m]: directions of dampers
  Points force;       ///< p, explicit forces [N]
  bool drag = false;  ///< explicit terms with a dissipation belong to F_d

  /// z = start + (y − start) + δ [m]; this and the next are Eigen expressions, to be assigned at once.
  auto place(const Points& change) const { return start + (move + change); }
  /// w + δ/g [m/s].
  auto velocity_at(const Points& change) const { return velocity + change / g; }
  /// The state in which the position-dependent forces act: (z, 0, t).
  State elastic_state(const Points& change) const { return {t, place(change), Points::Zero(3, change.cols())}; }
  /// The state in which the velocity-dependent forces act: (x̄, w + δ/g, t).
  State damping_state(const Points& change) const { return {t, lagged, velocity_at(change)}; }
  /// Whether a term belongs to f_s.
  static bool is_elastic(const ForceTerm& term) { return term.as<StiffPotential>() != nullptr; }
  /// The dissipation R of a term that belongs to F_d; null for others.
  const Dissipation* damping(const ForceTerm& term) const {
    const ForceAbilities has = term.abilities();
    return drag || has.get<LinearDissipation>() ? has.get<Dissipation>() : nullptr;
  }
};

/// Whether a term is explicit even if stages include drag (`StageProblem::drag`).
inline bool is_fully_explicit(const ForceTerm& term) {
  const ForceAbilities has = term.abilities();
  return !has.get<StiffPotential>() && !has.get<Dissipation>();
}

/// A converged stage: the data for its derivative.
struct StageSolution {
  StageProblem problem;  ///< what was solved; a copy
  Points change;         ///< δ [m], 0 for held particles
  std::shared_ptr<const Preconditioner>
      preconditioner;  ///< of H at or near z, of the step or stored for several derivative passes
  std::shared_ptr<const BlockMatrix> hessian = nullptr;          ///< H at z, if stored for several derivative passes
  std::shared_ptr<const BlockPattern> pattern = nullptr;         ///< of H, shared by all stages of a run; null: unknown
  auto place() const { return problem.place(change); }           ///< z [m], an expression, as the next two
  auto displacement() const { return problem.move + change; }    ///< z − start [m]
  auto velocity() const { return problem.velocity_at(change); }  ///< w + δ/g [m/s]
  std::size_t bytes() const;                                     ///< memory held [B], for the budget of tapes
};

/// Settings shared by all implicit integrators.
struct StageOptions {
  std::string linear_solver = "auto";  ///< auto | ssor_cg | block_jacobi_cg | prefactored_cg | cholesky
  double tolerance = 1e-12;            ///< on the residual, relative to the forces on each particle (`StageLimits`)
  int max_iterations = 100;            ///< Newton steps
};

/// Where the forces of a stage act.
struct StageStates {
  const State& elastic;  ///< those that depend on position
  const State& damping;  ///< those that depend on velocity
};

/// The part of H that does not depend on δ: M and the forces that are linear in the velocity. Any δ for `at`.
void assemble_constant_hessian(const Model& model, const StageProblem& problem, const StageStates& at, BlockMatrix& H);
/// Adds the other part, at these states. With `definite`, compressed springs lose their negative transverse stiffness
/// (regularized Newton steps).
void add_changing_hessian(const Model& model, const StageProblem& problem, const StageStates& at, bool definite,
                          BlockMatrix& H);
/// H at z: the sum of both.
void assemble_stage_hessian(const Model& model, const StageProblem& problem, const Points& change, bool definite,
                            BlockMatrix& H);

/// A matrix of zeros with the pattern of H.
std::shared_ptr<BlockMatrix> zero_hessian(const Model& model, const StageSolution& solution);

/// H at the stage's solution: the stored one, or a new one.
std::shared_ptr<const BlockMatrix> stage_hessian(const Model& model, const StageSolution& solution);

/// Books the work of a stage's forces over `duration` [s], a part of the step: −F·u duration with the stage's own
/// velocity u, which is never negative for dissipative forces.
void book_stage(const Model& model, const StageSolution& solution, double duration, Losses& book);

/// How a stage ended.
struct StageReport {
  bool converged = false;           ///< within `StageLimits`, and at a minimum for `StageSolver`
  bool derivative_reliable = true;  ///< false if H is nearly singular or could not be shown to be positive definite
  int force_evaluations = 0;        ///< evaluations of explicit forces; none if p contains them
  int linear_solves = 0;            ///< of linear systems, one or more for each Newton step
  int cg_iterations = 0;            ///< of conjugate gradients or GMRES
  int escapes = 0;                  ///< random directions out of a saddle
  double residual = 0;              ///< relative to the forces on each particle; converged at or below the tolerance
};

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
  std::optional<StageEnergy> energy;  ///< if it was requested
};

/// The function Φ of `StageProblem` that a stage minimizes, of one stage after the other: its arrays are used again.
class StageObjective {
 public:
  /// For stages of models with this topology.
  explicit StageObjective(const Topology& topology) : constant_(topology) {}

  /// Switches to this problem, which must keep its address.
  void begin(const Model& model, const StageProblem& problem);

  /// Forces and gradient at `at.change`.
  void evaluate(StagePoint& at);
  /// Φ there, computed when it is first requested.
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

/// Limits of a stage's residual G = M δ − g² (f + p) on each particle: a componentwise backward error (Oettli and
/// Prager 1964, doi:10.1007/BF01386090), independent of units, in which no particle is hidden by a heavier or faster
/// one,
///   limit_i = max(tolerance, 16 ε) [ Σ_j |H_ij| |δ_j| + g² (|f_i| + |p_i|) ] + 16 ε |H_ii − m_i I| (X + g V).
/// The last term is rounding: coordinates are known to ε X and velocities to ε V, the largest of the stage, and the
/// forces of a particle multiply both by their stiffness.
class StageLimits {
 public:
  /// Each term of a residual is rounded a few times; 16 is ample.
  static constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

  /// Switches to this stage; the limits are valid after the next `set`.
  void begin(const Model& model, const StageProblem& problem, double tolerance);
  /// Sets them for H. reach_j >= |δ_j| for every δ for which the limits are used; `force` is f there.
  void set(const BlockMatrix& H, const Vector& reach, const Points& force);
  /// Adds another source of rounding on each particle [kg m].
  void allow(const Vector& further) { limits_ += further; }

  /// max_i |G_i|/limit_i of the norms |G_i|: at most 1 if the stage is solved. NaN if G is not finite.
  double ratio(const Vector& residual) const;

 private:
  double g_ = 0, tolerance_ = 0;
  double farthest_ = 0, fastest_ = 0;  // largest |y| and |w|
  Vector mass_, explicit_;             // m_i, g² |p_i|
  Vector limits_;
};

/// Norm of each column.
inline Vector column_norms(const Points& points) { return points.colwise().norm().transpose(); }

/// The largest displacement requested by a residual with these norms if forces do not react: max_i |G_i|/m_i [m].
inline double largest_change(const Model& model, const Vector& residual) {
  return residual.cwiseQuotient(model.mass()).maxCoeff();
}

}  // namespace pithball::sim
