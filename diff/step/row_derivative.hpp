#pragma once
#include "sim/constraint/constraint.hpp"
#include "sim/model/model.hpp"

namespace pithball::diff {

using sim::Index;
using sim::Points;
using sim::Vector;

/// A constraint row in a substep.
struct RowInSubstep {
  const sim::Constraint& constraint;  ///< owner of the row, which evaluates C and its derivatives
  const sim::ConstraintRow& row;      ///< particles and other data of the row within the constraint
  double dt;                          ///< [s]
  const Vector& inverse_mass;         ///< 0 of held particles [1/kg]
};

/// One projection of one row as in `sim::Projection::sweep`, and its linearization. It is recomputed from its inputs:
/// positions and velocities of the row's particles and the row's multiplier.
class RowProjection {
 public:
  /// Projects the row: changes x, v (3×N) and lambda as the sweep did.
  RowProjection(const sim::Model& model, const RowInSubstep& at, Points& x, Points& v, double& lambda);

  /// Changes of x, v and lambda before → after, with a change of the values at this time.
  void tangent(const sim::Model& model, const Vector& dvalues, Points& dx, Points& dv, double& dlambda) const;
  /// The transpose: gradients with respect to x, v and lambda after → before; adds to those of the values.
  void adjoint(const sim::Model& model, Points& ax, Points& av, double& alambda, Vector& gvalues) const;

 private:
  Index particle(Index k) const { return row_->particles[k]; }

  const sim::DifferentiableRows* rows_;
  const sim::ConstraintRow* row_;
  const Vector* inverse_mass_;
  double dt_, lambda_;
  sim::RowPoints x_, v_, gradient_;
  sim::RowValues values_;
  // Notation of kernel/xpbd.hpp: change = −(C + α̃ λ + γ Δt Ċ)/D, D = (1 + γ) w + α̃; α̃ = α/Δt², γ = αβ/Δt.
  double rate_ = 0, w_ = 0, compliance_, damping_, alpha_, gamma_, denominator_ = 0, change_ = 0;
};

}  // namespace pithball::diff
