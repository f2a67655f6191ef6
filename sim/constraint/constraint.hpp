#pragma once
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sim/constraint/contact_law.hpp"
#include "sim/core/state.hpp"
#include "sim/model/member.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

class Model;
struct RowLoops;
struct Topology;

/// How many particles one row can tie together.
inline constexpr Index most_row_particles = 4;

/// One scalar condition on a few particles.
struct ConstraintRow {
  Index item = 0;   ///< the constraint's own number for it: a link, a pin and its axis, …
  Index count = 0;  ///< how many of `particles` it ties, 1 to 4
  std::array<Index, most_row_particles> particles{};
};

/// A vector for each particle of a row, in the row's order: positions [m], or ∂C/∂x. Columns beyond its count are not
/// used.
using RowPoints = Eigen::Matrix<double, 3, most_row_particles>;

/// Where the numbers of a row stand in the flat vector of a model's values; −1: it has none. C may depend on one value.
struct RowValues {
  Index value = -1;       ///< of C itself: a length
  double slope = 0;       ///< ∂C/∂value
  Index compliance = -1;  ///< α
  Index damping = -1;     ///< β
};

/// Capabilities of a constraint, as data.
struct ConstraintTraits {
  std::string name;         ///< as in the experiment file: "distance"
  bool inequality = false;  ///< C ≥ 0, with a force that only pushes (λ ≥ 0); otherwise C = 0
  bool internal = false;    ///< C depends on differences of positions only, so that it keeps the total momentum
  bool contact = false;  ///< a row is a contact of its first particle with its second, or with what rests; ∇C is n, −n
  bool differentiable = false;  ///< offers `row_values` and `hessian_product`
};

/// Conditions C(x; values) = 0 or C ≥ 0 on positions, which the integrator `xpbd` projects on. The object holds
/// structure only (which particles); its physical numbers live in `Model::values()`, declared once by `declare`.
///
/// A constraint states its rows, and C with its gradient for each; projection, multipliers, momentum, energy and
/// breaking follow from these. A row with compliance α and damping β acts as the force ∇Cᵀ λ/Δt² with λ/Δt² = −C/α − β
/// dC/dt; with α = 0 it is rigid. So λ > 0 pushes towards larger C: a stretched link (C > 0) has λ < 0, a contact λ ≥
/// 0.
class Constraint {
 public:
  virtual ~Constraint() = default;
  virtual const ConstraintTraits& traits() const = 0;

  /// Adds the constraint's blocks of physical values; called once while the model is built.
  virtual void declare(const Topology&, Values&) {}

  /// Throws InvalidArgument if the constraint cannot be evaluated at this initial state.
  virtual void validate(const Model&, const State&) const {}

  /// Appends the rows that can act while every particle i stays within reach[i] [m] of x.col(i).
  virtual void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const = 0;

  /// C [m] of a row and its gradient [1] for the positions of the row's particles. Where the gradient does not exist it
  /// is 0, and the row does nothing.
  virtual double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const = 0;

  virtual double compliance(const Model&, const ConstraintRow&) const { return 0; }  ///< α ≥ 0 [m/N]
  virtual double damping(const Model&, const ConstraintRow&) const { return 0; }  ///< β ≥ 0 [N s/m]; only with α > 0

  /// Of contacts: what they do to velocities.
  virtual ContactLaw contact_law(const Model&, const ConstraintRow&) const { return {}; }

  /// The loops over its rows: those that call the functions above, one by one. A constraint of very many rows has them
  /// compiled for itself, `return LoopsOf<SphereContact, 2>::loops();` (`sim/constraint/row_loops.hpp`).
  virtual RowLoops loops() const;

  /// The same constraint for a model of these particles (`Model::repopulated`), with the blocks that it has declared;
  /// `place` says where the present ones are then (−1: gone). Null if it names none, and so serves as it is.
  virtual std::shared_ptr<Constraint> repopulated(const std::vector<Member>&, const std::vector<Index>& place) const {
    return nullptr;
  }

  // Differentiable constraints only.

  /// Where the numbers of a row stand in `Model::values()`.
  virtual RowValues row_values(const Model&, const ConstraintRow&) const { return {}; }
  /// H d [1/m · m] with H = ∂²C/∂x² for a vector d of each particle; H is symmetric.
  virtual RowPoints hessian_product(const Model&, const ConstraintRow&, const RowPoints& x, const RowPoints& d) const {
    return RowPoints::Zero();
  }

  // Constraints that can break only: a row whose tension −λ/Δt² exceeds its strength is gone for the rest of the run.

  virtual bool can_break() const { return false; }
  /// [N]; infinite for a row that holds whatever comes.
  virtual double strength(const Model&, const ConstraintRow&) const { return std::numeric_limits<double>::infinity(); }
  /// The same constraint without these items, with the values that it has declared.
  virtual std::shared_ptr<Constraint> without(const std::vector<Index>& items) const { return nullptr; }
};

/// Σ C²/(2α) over the compliant rows of a constraint that act at x [J].
double stored_energy(const Constraint&, const Model&, const Points& x);

/// C²/(2α) of one row, 0 for a rigid one and where it does not act [J].
double stored_energy(const Constraint&, const Model&, const ConstraintRow&, const Points& x);

/// The positions of a row's particles.
inline RowPoints row_points(const ConstraintRow& row, const Points& x) {
  RowPoints at;
  for (Index k = 0; k < row.count; ++k) at.col(k) = x.col(row.particles[static_cast<std::size_t>(k)]);
  return at;
}

}  // namespace pithball::sim
