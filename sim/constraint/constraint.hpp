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

/// What is to be known of a constraint, as data. What it can do beyond stating its rows it hands out
/// (`Constraint::abilities`).
struct ConstraintTraits {
  std::string name;         ///< as in the experiment file: "distance"
  bool inequality = false;  ///< C ≥ 0, with a force that only pushes (λ ≥ 0); otherwise C = 0
  bool internal = false;    ///< C depends on differences of positions only, so that it keeps the total momentum
};

/// Conditions C(x; values) = 0 or C ≥ 0 on positions, which the integrator `xpbd` projects on. The object holds
/// structure only (which particles); its physical numbers live in `Model::values()`, declared once by `declare`.
///
/// A constraint states its rows, and C with its gradient for each; projection, multipliers, momentum, energy and
/// breaking follow from these. A row with compliance α and damping β (`CompliantRows`) acts as the force ∇Cᵀ λ/Δt² with
/// λ/Δt² = −C/α − β dC/dt; with α = 0 it is rigid. So λ > 0 pushes toward larger C: a stretched link (C > 0) has λ <
/// 0, a contact λ ≥ 0.
class Constraint {
 public:
  virtual ~Constraint() = default;
  virtual const ConstraintTraits& traits() const = 0;

  /// What it can do beyond the functions below; nothing as it stands. `ConstraintWith` overrides it.
  virtual ConstraintAbilities abilities() const { return {}; }
  /// One of them, `constraint.as<ContactRows>()`; null if it has not got that one.
  template <class Ability>
  const Ability* as() const {
    return abilities().get<Ability>();
  }

  /// Adds the constraint's blocks of physical values; called once while the model is built.
  virtual void declare(const Topology&, Values&) {}

  /// Throws InvalidArgument if the constraint cannot be evaluated at this initial state.
  virtual void validate(const Model&, const State&) const {}

  /// Appends the rows that can act while every particle i stays within reach[i] [m] of x.col(i).
  virtual void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const = 0;

  /// C [m] of a row and its gradient [1] for the positions of the row's particles. Where the gradient does not exist it
  /// is 0, and the row does nothing.
  virtual double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const = 0;

  /// The loops over its rows: those that call the functions above, one by one. A constraint of very many rows has them
  /// compiled for itself, `return LoopsOf<SphereContact, 2>::loops();` (`sim/constraint/row_loops.hpp`).
  virtual RowLoops loops() const;
};

/// The base of constraints that can do more: `class PlaneContact : public ConstraintWith<ContactRows>`.
template <class... More>
class ConstraintWith : public Constraint, public More... {
 public:
  ConstraintAbilities abilities() const override { return ConstraintAbilities::of(*this); }
};

/// α of a row [m/N]; 0 of a rigid one.
double row_compliance(const Constraint&, const Model&, const ConstraintRow&);

/// β of a row [N s/m]; 0 of one without a damper.
double row_damping(const Constraint&, const Model&, const ConstraintRow&);

/// Σ C²/(2α) over the compliant rows of a constraint that act at x [J].
double stored_energy(const Constraint&, const Model&, const Points& x);

/// C²/(2α) of one row, 0 for a rigid one and where it does not act [J].
double stored_energy(const Constraint&, const Model&, const ConstraintRow&, const Points& x);

}  // namespace pithball::sim
