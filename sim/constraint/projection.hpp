#pragma once
#include <set>
#include <vector>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/contact_record.hpp"
#include "sim/constraint/row_loops.hpp"

namespace pithball::sim {

/// How hard one row of a model's constraints acts.
struct RowForce {
  Index constraint = 0;  ///< its number in `Model::constraints()`
  ConstraintRow row = {};
  double force = 0;  ///< λ/Δt² along ∇C [N]; of a stretched link minus its tension
};

/// The rows that act in a step and their Gauss–Seidel projection, substep after substep.
///
/// Velocities follow positions: whatever moves a particle by Δx in a substep changes its velocity by Δx/Δt, so that
/// v = (x − x_prev)/Δt holds after every row, and total momentum changes by rounding only where Σ ∇C = 0.
class Projection {
 public:
  explicit Projection(const Model& model);

  /// A substep begins at the positions after free flight: forgets the multipliers, and finds the rows that can act
  /// during `time_left` [s] at velocities v and accelerations a. Rows that were found before serve as long as every
  /// particle stays within the reach that they were found for.
  void begin_substep(const Model& model, const Points& x, const Points& v, const Points& a, double time_left);

  /// One sweep over all rows: x ← x + M⁻¹∇Cᵀ Δλ, v ← v + M⁻¹∇Cᵀ Δλ/Δt, with Δλ of `kernel::multiplier_change`, cut off
  /// so that λ ≥ 0 for an inequality. `model` gives the values at the time of the state.
  void sweep(const Model& model, double dt, Points& x, Points& v);

  /// A substep after its sweeps.
  struct Swept {
    const Model& model;    ///< with the values at the time of the state
    double dt;             ///< [s]
    const Points& x;       ///< [m]
    const Points& before;  ///< velocities before the sweeps [m/s]
  };

  /// Restitution and friction of the contacts that push, as `ContactLaw` says, on the velocities v; what is slower than
  /// the accelerations a make it in two substeps does not bounce. (Müller, Macklin, Chentanez, Jeschke, Kim 2020,
  /// Eqs. 29, 30 and 34; friction counts the impulse of the bounce too.) With a book, adds what contacts took out in
  /// the sweeps and here [J].
  void exchange_momentum(const Swept& substep, const Points& a, Points& v, Losses* book = nullptr);

  /// Books what the rows that are no contacts took out in the sweeps, which led to the velocities v: β (dC/dt)² Δt, the
  /// work of driven particles' supports, and that of values which were those of `was` before the substep.
  void book_links(const Swept& substep, const Model& was, const Points& v, Losses& book) const;

  /// Takes out the rows whose tension −λ/Δt² exceeds their strength, and returns them.
  std::vector<RowForce> take_broken(const Model& model, double dt);

  /// The rows that acted in this substep of Δt [s], in their order.
  std::vector<RowForce> forces(double dt) const;
  /// The contacts that pushed in any substep so far, each once.
  std::vector<ContactRecord> contacts() const;
  Index most_contacts() const { return most_contacts_; }  ///< that pushed in one substep
  double deepest() const { return deepest_; }             ///< the largest overlap that they met [m]

 private:
  /// A constraint of the model, with its rows first ≤ r < last.
  struct Part {
    const Constraint* constraint;
    RowLoops loops;
    bool contact;
    std::size_t first = 0, last = 0;
  };
  void find_rows(const Model& model, const Points& x);
  /// Leaves out the rows that have broken, and forgets contacts.
  void keep_whole_rows();
  ActingRows acting(const Model& model, const Part& part, double dt, const Points* swept = nullptr,
                    Losses* book = nullptr);
  /// Calls visit(contact) for each contact of the present rows that has pushed.
  template <class Visit>
  void for_each_contact(Visit visit) const;
  void keep_contacts();

  std::vector<Part> parts_;  // in the order of the model's list
  std::vector<ConstraintRow> rows_;
  std::vector<double> lambda_;  // of each row: multiplier of the substep [N s²]
  std::vector<double> depth_;   // of each row
  std::vector<ContactPush> push_;
  Vector inverse_mass_;  // 0 of held particles [1/kg]
  Points found_at_;      // where rows were searched, and how far they serve
  Vector reach_;
  bool searches_ = false;  // whether any row depends on the reach
  bool can_break_ = false;
  std::set<std::pair<Index, Index>> gone_;  // broken: constraint, item
  std::vector<ContactRecord> contacts_;     // of rows that a search has replaced
  Index most_contacts_ = 0;
  double deepest_ = 0;
};

}  // namespace pithball::sim
