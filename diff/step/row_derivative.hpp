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
  /// How the row gives way: α̃ = α/Δt², γ = αβ/Δt, with α its compliance and β its damping.
  struct Softness {
    double compliance, damping, alpha, gamma;
  };
  /// The change of the multiplier, −(C + α̃ λ + γ Δt Ċ)/D with D = (1 + γ) w + α̃, in the notation of kernel/xpbd.hpp.
  struct Update {
    double rate = 0, w = 0, denominator = 0, change = 0;
  };
  static Softness softness(const sim::Model& model, const RowInSubstep& at);
  Index particle(Index k) const { return at_.row.particles[k]; }

  RowInSubstep at_;
  const sim::DifferentiableRows* rows_;
  double lambda_;
  sim::RowPoints x_, v_, gradient_;
  sim::RowValues values_;
  Softness soft_;
  Update update_;
};

}  // namespace pithball::diff
