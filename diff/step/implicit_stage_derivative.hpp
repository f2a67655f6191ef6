#pragma once
#include "diff/step/stage_derivative.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::diff {

/// The derivative of a converged stage δ(y, w, values) of `sim::ImplicitStageSolver` by the implicit function theorem.
/// From
///   G = M δ − g² F(y + δ, w + δ/g, t) = 0 on free particles, δ = 0 on held ones,
/// follows J dδ = g² [ ∂F/∂x dy + ∂F/∂v dw + ∂F/∂θ dθ ] − δ dM, J = M − g² ∂F/∂x − g ∂F/∂v. J is neither definite nor
/// symmetric: tangents solve with products J w, adjoints with products Jᵀ w, both by GMRES. `lagged` and `force` of the
/// inputs take no part.
class ImplicitStageDerivative {
 public:
  /// Both must outlive this object; the solution must have converged.
  ImplicitStageDerivative(const sim::Model& model, const sim::StageSolution& solution);

  /// dδ for several changes of the inputs.
  Panel jvp(const StageDirections& d);
  /// For a = ∂L/∂δ: adds ∂L/∂(inputs) to g.
  void vjp(const Points& a, StageVariation& g);
  /// Adds the preconditioner to the solution of the constructor, or to a copy, for derivatives to come.
  void keep_matrices(sim::StageSolution& solution) const { solution.preconditioner = preconditioner_; }
  /// Cost of the solves.
  void add_cost(DerivativeCost& cost) const;

 private:
  Points solve(const sim::LinearOperator& A, const Points& rhs);
  /// Changes of F for prescribed velocities of held particles.
  Panel force_changes(sim::Directions d);
  /// Its transpose.
  sim::Variation force_adjoint(const Points& w);

  const sim::Model& model_;
  const sim::StageSolution& solution_;
  sim::State state_;  // where the forces act
  std::shared_ptr<const sim::Preconditioner> preconditioner_;
  DerivativeCost cost_;
};

}  // namespace pithball::diff
