#pragma once
#include <set>
#include <vector>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/constraint_record.hpp"
#include "sim/constraint/row_loops.hpp"

namespace pithball::sim {

/// Force of one row of a model's constraints.
struct RowForce {
  Index constraint = 0;    ///< index in `Model::constraints()`
  ConstraintRow row = {};  ///< as in the constraint's list of rows
  double force = 0;        ///< λ/Δt² along ∇C [N]; for a stretched link minus its tension
};

/// The active rows of a step and their Gauss–Seidel projection, substep by substep.
///
/// Velocities follow positions: a displacement Δx of a particle in a substep changes its velocity by Δx/Δt, so that v =
/// (x − x_prev)/Δt holds after every row, and total momentum is conserved up to rounding if Σ ∇C = 0.
class Projection {
 public:
  /// Takes masses and constraints of the model, which must outlive this object; finds no rows yet.
  explicit Projection(const Model& model);

  /// Begins a substep at the positions after free flight: resets the multipliers, and finds the rows that can become
  /// active during `time_left` [s] at velocities v and accelerations a. Rows are reused as long as every particle stays
  /// within the reach for which they were found.
  void begin_substep(const Model& model, const Points& x, const Points& v, const Points& a, double time_left);

  /// One sweep over all rows: x ← x + M⁻¹∇Cᵀ Δλ, v ← v + M⁻¹∇Cᵀ Δλ/Δt, with Δλ of `kernel::multiplier_change`, clipped
  /// so that λ ≥ 0 for an inequality. `model` has the values at the time of the state.
  void sweep(const Model& model, double dt, Points& x, Points& v);

  /// State of a substep after its sweeps.
  struct Swept {
    const Model& model;    ///< with the values at the time of the state
    double dt;             ///< [s]
    const Points& x;       ///< [m]
    const Points& before;  ///< velocities before the sweeps [m/s]
  };

  /// Applies restitution and friction (`ContactLaw`) of the active contacts to the velocities v; contacts slower than
  /// the accelerations a produce in two substeps do not bounce. (Müller, Macklin, Chentanez, Jeschke, Kim 2020, Eqs.
  /// 29, 30 and 34; friction includes the impulse of the bounce.) With a book, adds the energy that contacts removed in
  /// the sweeps and here [J].
  void exchange_momentum(const Swept& substep, const Points& a, Points& v, Losses* book = nullptr);

  /// Books the energy removed by rows other than contacts in the sweeps, which led to the velocities v: β (dC/dt)² Δt,
  /// the work of driven particles' supports, and that of changing values, which were those of `was` before the substep.
  void book_links(const Swept& substep, const Model& was, const Points& v, Losses& book) const;

  /// Removes the rows whose tension −λ/Δt² exceeds their strength, and returns them.
  std::vector<RowForce> take_broken(const Model& model, double dt);

  /// The active rows in this substep of Δt [s], in order.
  std::vector<RowForce> forces(double dt) const;
  /// The contacts that were active in any substep so far, each once.
  std::vector<ContactRecord> contacts() const;
  /// Largest number of contacts active in one substep, and the largest overlap in any.
  const Pushing& pushing() const { return pushing_; }

 private:
  /// A constraint of the model, with its rows first ≤ r < last.
  struct Part {
    const Constraint* constraint;
    RowLoops loops;
    bool contact;
    std::size_t first = 0, last = 0;
  };
  /// How far each particle may go before rows are searched for again.
  struct Reach {
    Points from;      // positions of the last search [m]
    Vector distance;  // of each particle [m]; empty before the first search
    bool is_left_by(const Points& x) const {
      return ((x - from).colwise().squaredNorm().transpose().array() > distance.array().square()).any();
    }
  };
  /// `forces` of the selected parts. There are many contacts, and not every step needs them.
  template <class Select>
  std::vector<RowForce> forces_of(Select select, double dt) const;
  void find_rows(const Model& model, const Points& x);
  /// Removes broken rows, and forgets contacts.
  void keep_whole_rows();
  ActingRows acting(const Model& model, const Part& part, double dt, const Points* swept = nullptr,
                    Losses* book = nullptr);
  /// Calls visit(contact) for each contact of the present rows that has been active.
  template <class Visit>
  void for_each_contact(Visit visit) const;
  void keep_contacts();

  std::vector<Part> parts_;  // in the order of the model's list
  std::vector<ConstraintRow> rows_;
  std::vector<double> lambda_;  // of each row: multiplier of the substep [N s²]
  std::vector<double> depth_;   // of each row
  std::vector<ContactPush> push_;
  Vector inverse_mass_;  // 0 for held particles [1/kg]
  Reach reach_;
  bool searches_ = false;  // whether any row depends on the reach
  bool can_break_ = false;
  std::set<std::pair<Index, Index>> gone_;  // broken: constraint, item
  std::vector<ContactRecord> contacts_;     // of rows replaced by a later search
  Pushing pushing_;
};

}  // namespace pithball::sim
