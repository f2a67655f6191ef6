#pragma once
// Optional abilities of a constraint: one small interface for each. A class lists its abilities in its base
// `ConstraintWith<…>` (constraint.hpp).

#include <memory>
#include <vector>

#include "sim/constraint/constraint_row.hpp"
#include "sim/constraint/contact_law.hpp"
#include "sim/core/abilities.hpp"
#include "sim/field/passage.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {

class Constraint;
class Model;

/// Ability of constraints with rows that are not all rigid.
class CompliantRows {
 public:
  virtual ~CompliantRows() = default;
  virtual double compliance(const Model&, const ConstraintRow&) const = 0;  ///< α ≥ 0 [m/N]; 0: rigid
  virtual double damping(const Model&, const ConstraintRow&) const = 0;     ///< β ≥ 0 [N s/m]; acts only with α > 0
};

/// Ability of inequalities in which each row is a contact of its first particle with its second, or with an obstacle;
/// ∇C is n and −n, n a unit vector.
class ContactRows {
 public:
  virtual ~ContactRows() = default;
  /// Effect of the contact on velocities.
  virtual ContactLaw contact_law(const Model&, const ConstraintRow&) const = 0;
  /// A particle that flew through what it should have touched; empty if none did.
  virtual std::optional<Passage> find_passage(const Model&, const Flight&) const { return {}; }
};

/// Ability of rows that can break: a row whose tension −λ/Δt² exceeds its strength is absent for the rest of the run.
class BreakableRows {
 public:
  virtual ~BreakableRows() = default;
  /// [N]; infinite for a row that never breaks.
  virtual double strength(const Model&, const ConstraintRow&) const = 0;
  /// The same constraint without these items, with the values already declared.
  virtual std::shared_ptr<Constraint> without(const std::vector<Index>& items) const = 0;
};

/// Ability of rows with a differentiable projection.
class DifferentiableRows {
 public:
  virtual ~DifferentiableRows() = default;
  /// Indices of a row's values in `Model::values()`.
  virtual RowValues row_values(const Model&, const ConstraintRow&) const = 0;
  /// H d [1/m · m] with H = ∂²C/∂x² for a vector d of each particle; H is symmetric.
  virtual RowPoints hessian_product(const Model&, const ConstraintRow&, const RowPoints& x,
                                    const RowPoints& d) const = 0;
};

/// Ability of a constraint that refers to particles by index; other constraints apply to any set of particles.
class NamedParticles {
 public:
  virtual ~NamedParticles() = default;
  /// The same constraint for a model with other particles (`Model::with_particles`), with the blocks already declared;
  /// `place`: new index of each present particle (−1: removed).
  virtual std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                                     const std::vector<Index>& place) const = 0;
};

/// The abilities of a constraint, through these interfaces.
using ConstraintAbilities = Abilities<CompliantRows, ContactRows, BreakableRows, DifferentiableRows, NamedParticles>;

}  // namespace pithball::sim
