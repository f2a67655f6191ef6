#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/constraint/constraint_abilities.hpp"
#include "sim/constraint/constraint_row.hpp"
#include "sim/core/state.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

struct RowLoops;
struct Topology;

/// Properties of a constraint, as data. Optional abilities are in `Constraint::abilities`.
struct ConstraintTraits {
  std::string name;         ///< as in the experiment file: "distance"
  bool inequality = false;  ///< C ≥ 0, with a force that only pushes (λ ≥ 0); otherwise C = 0
  bool internal = false;    ///< C depends only on differences of positions, so that it conserves total momentum
};

/// Conditions C(x; values) = 0 or C ≥ 0 on positions, enforced by projection in the integrator `xpbd`. The object holds
/// structure only (which particles); its physical numbers are in `Model::values()`, declared once by `declare`.
///
/// A constraint defines its rows, and C with its gradient for each; projection, multipliers, momentum, energy and
/// breaking follow from these. A row with compliance α and damping β (`CompliantRows`) acts as the force ∇Cᵀ λ/Δt² with
/// λ/Δt² = −C/α − β dC/dt; with α = 0 it is rigid. So λ > 0 pushes toward larger C: a stretched link (C > 0) has λ < 0,
/// a contact λ ≥ 0.
class Constraint {
 public:
  virtual ~Constraint() = default;
  /// Name and kind of the rows; the same for its whole life, and owned by it.
  virtual const ConstraintTraits& traits() const = 0;

  /// Optional abilities; none by default. `ConstraintWith` overrides it.
  virtual ConstraintAbilities abilities() const { return {}; }
  /// An ability, `constraint.as<ContactRows>()`; null if the constraint does not have it.
  template <class Ability>
  const Ability* as() const {
    return abilities().get<Ability>();
  }

  /// Adds the constraint's blocks of physical values; called once when the model is built.
  virtual void declare(const Topology&, Values&) {}

  /// Throws InvalidArgument if the constraint cannot be evaluated at this initial state.
  virtual void validate(const Model&, const State&) const {}

  /// Appends the rows that can become active while every particle i stays within reach[i] [m] of x.col(i).
  virtual void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const = 0;

  /// C [m] of a row and its gradient [1] at the positions of the row's particles. Where the gradient does not exist it
  /// is 0, and the row has no effect.
  virtual double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const = 0;

  /// The loops over its rows; the default calls the functions above one by one. A constraint with many rows returns
  /// compiled loops of its own, `return LoopsOf<SphereContact, 2>::loops();` (`sim/constraint/row_loops.hpp`).
  virtual RowLoops loops() const;
};

/// Base of constraints with abilities: `class PlaneContact : public ConstraintWith<ContactRows>`.
template <class... More>
class ConstraintWith : public Constraint, public More... {
 public:
  /// The abilities listed in `More`, as interfaces of this object.
  ConstraintAbilities abilities() const override { return ConstraintAbilities::of(*this); }
};

/// α of a row [m/N]; 0 for a rigid one.
double row_compliance(const Constraint&, const Model&, const ConstraintRow&);

/// β of a row [N s/m]; 0 without a damper.
double row_damping(const Constraint&, const Model&, const ConstraintRow&);

/// Σ C²/(2α) over the active compliant rows of a constraint at x [J].
double stored_energy(const Constraint&, const Model&, const Points& x);

/// C²/(2α) of one row; 0 for a rigid or inactive one [J].
double stored_energy(const Constraint&, const Model&, const ConstraintRow&, const Points& x);

}  // namespace pithball::sim
