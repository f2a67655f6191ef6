#pragma once
#include <vector>

#include "sim/force/variation.hpp"
#include "sim/integrator/stage_problem.hpp"
#include "sim/linear/symmetric_sweeps.hpp"
#include "sim/model/model.hpp"

namespace pithball::diff {

using sim::Index;
using sim::Panel;
using sim::Points;
using sim::Vector;

/// Changes of all inputs of a stage problem along several directions, each P×3N.
struct StageDirections {
  Panel predictor;                                     ///< of y; for held particles, of their position at the stage
  Panel velocity;                                      ///< of w, 0 for held particles, whose velocities are prescribed
  Panel lagged;                                        ///< of x̄
  Panel force;                                         ///< of p
  std::shared_ptr<const sim::ValueDirections> values;  ///< of the physical values
};

/// Gradients with respect to all inputs of a stage problem.
struct StageVariation {
  Points predictor;  ///< y; for held particles, their position at the stage
  Points velocity;   ///< w, 0 for held particles, whose velocities are prescribed
  Points lagged;     ///< x̄
  Points force;      ///< p
  Vector values;     ///< physical values
  /// All zero but the values, for N = `particles`: gradients are added to those of other steps.
  static StageVariation zero(Index particles, Vector values);
};

/// The derivative of a converged stage δ(y, w, x̄, p, values) by the implicit function theorem. From
///   G = M δ − g² [ f_s(y + δ) + F_d(x̄, w + δ/g) + p ] = 0 on free particles, δ = 0 on held ones,
/// follows H dδ = g² [ ∂f_s dy + ∂F_d (dx̄, dw) + dp + ∂f/∂θ dθ ] − δ dM. H and its preconditioner are made once, or
/// taken from the solution where it has them.
class StageDerivative {
 public:
  /// Relative residual of solves, tight enough for gradients to 1e-9 of a block's largest entry. Double precision
  /// limits it to about 1e-14 for typical condition numbers.
  static constexpr double solve_tolerance = 1e-12;
  /// A solve with a larger residual makes the derivative unreliable.
  static constexpr double acceptable_residual = 1e-8;

  /// Both must outlive this object; the solution must have converged.
  StageDerivative(const sim::Model& model, const sim::StageSolution& solution);

  /// dδ for groups of changes of the inputs, which are unchanged afterwards.
  std::vector<Panel> jvp(std::vector<StageDirections>& groups);
  /// For a_c = ∂L_c/∂δ of each of several losses: adds ∂L_c/∂(inputs) to g_c.
  void vjp(std::vector<Points> a, std::vector<StageVariation>& g);

  /// Stores what solves need in the solution given to the constructor, or in a copy, for later derivatives: the
  /// preconditioner and H, or sweeps alone, which hold H.
  void keep_matrices(sim::StageSolution& solution) const {
    solution.preconditioner = preconditioner_;
    if (!sweeps_) solution.hessian = H_;
  }

  /// Number of solves with H so far.
  long linear_solves() const { return linear_solves_; }
  /// Number of iterations of conjugate gradients in these solves.
  long cg_iterations() const { return cg_iterations_; }
  /// False after a solve missed `acceptable_residual`: the derivative is then unreliable.
  bool reliable() const { return reliable_; }

 private:
  std::vector<Points> solve(const std::vector<Points>& rhs);
  void note(const sim::CgReport& report);
  /// Calls visit(term, the state at which it acts, the change of that state's arguments) for the terms of the stage.
  template <class Changes, class Visit>
  void for_each_term(Changes& d, const Visit& visit) const;

  const sim::Model& model_;
  const sim::StageSolution& solution_;
  sim::State elastic_, damping_;
  std::shared_ptr<const sim::BlockMatrix> H_;  // null with stored sweeps
  std::shared_ptr<const sim::Preconditioner> preconditioner_;
  std::shared_ptr<const sim::SymmetricSweeps> sweeps_;  // the preconditioner, if it is of this kind; of H itself
  long linear_solves_ = 0, cg_iterations_ = 0;
  bool reliable_ = true;
};

}  // namespace pithball::diff
