#pragma once
// What a constraint can do beyond stating its rows: one small interface for each ability. A class that has some derives
// from `ConstraintWith<…>` (constraint.hpp) and names them there.

#include <memory>
#include <vector>

#include "sim/constraint/constraint_row.hpp"
#include "sim/constraint/contact_law.hpp"
#include "sim/core/abilities.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {

class Constraint;
class Model;

/// Of rows that are not all rigid.
class CompliantRows {
 public:
  virtual ~CompliantRows() = default;
  virtual double compliance(const Model&, const ConstraintRow&) const = 0;  ///< α ≥ 0 [m/N]; 0: rigid
  virtual double damping(const Model&, const ConstraintRow&) const = 0;     ///< β ≥ 0 [N s/m]; acts only with α > 0
};

/// Of inequalities each row of which is a contact of its first particle with its second, or with what rests; ∇C is n
/// and −n, n a unit vector.
class ContactRows {
 public:
  virtual ~ContactRows() = default;
  /// What the contact does to velocities.
  virtual ContactLaw contact_law(const Model&, const ConstraintRow&) const = 0;
};

/// Of rows that can break: one whose tension −λ/Δt² exceeds its strength is gone for the rest of the run.
class BreakableRows {
 public:
  virtual ~BreakableRows() = default;
  /// [N]; infinite for a row that holds whatever comes.
  virtual double strength(const Model&, const ConstraintRow&) const = 0;
  /// The same constraint without these items, with the values that it has declared.
  virtual std::shared_ptr<Constraint> without(const std::vector<Index>& items) const = 0;
};

/// Of rows whose projection can be differentiated.
class DifferentiableRows {
 public:
  virtual ~DifferentiableRows() = default;
  /// Where the numbers of a row stand in `Model::values()`.
  virtual RowValues row_values(const Model&, const ConstraintRow&) const = 0;
  /// H d [1/m · m] with H = ∂²C/∂x² for a vector d of each particle; H is symmetric.
  virtual RowPoints hessian_product(const Model&, const ConstraintRow&, const RowPoints& x,
                                    const RowPoints& d) const = 0;
};

/// Of a constraint that names particles; one without serves other particles as it is.
class NamedParticles {
 public:
  virtual ~NamedParticles() = default;
  /// The same constraint for a model of these particles (`Model::with_particles`), with the blocks that it has
  /// declared; `place` says where the present ones are then (−1: gone).
  virtual std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                                     const std::vector<Index>& place) const = 0;
};

/// What a constraint can do, by these interfaces.
using ConstraintAbilities = Abilities<CompliantRows, ContactRows, BreakableRows, DifferentiableRows, NamedParticles>;

}  // namespace pithball::sim
