#pragma once
#include <array>
#include <optional>

#include "sim/core/losses.hpp"
#include "sim/integrator/velocity_flows.hpp"

namespace pithball::sim {

/// The impulses J [N s] of part of a step on all particles, held ones too, apart by the loss that their work counts as:
/// those of forces without a potential, and what the supports of driven particles bear in the other forces' place. All
/// functions accumulate. Models without such forces have none, and pay nothing.
class Impulses {
 public:
  explicit Impulses(const Model& model);

  /// Whether the work of a term is booked by its impulse.
  static bool books(const ForceTerm& term) { return !term.traits().energy && !term.as<Kick>(); }
  /// Whether a particle of the model follows a path.
  bool driven() const { return driven_; }

  /// f += Σ F over the terms that `select` accepts; J += weight [s] times those to be booked.
  template <class Select>
  void add_forces(const Model& model, const State& s, Points& f, double weight, Select select) {
    for (const auto& term : model.terms()) {
      if (!select(*term)) continue;
      if (!books(*term)) {
        term->add_force(model, s, f);
        continue;
      }
      const Points before = f;
      term->add_force(model, s, f);
      of(term->traits().loss) += weight * (f - before);
    }
  }
  /// Driven particles' supports bear weight [s] times the forces f, which are all that act on them.
  void bear(const Model& model, double weight, const Points& f);
  /// Both for all forces at a state: a sum over all of them only where a particle is driven.
  void add_all(const Model& model, const State& s, double weight);
  void add(double factor, const Impulses& other);

  /// −J·v [J]: what is taken out where particles move at v [m/s] on average.
  Losses work(const Points& v) const;

 private:
  Points& of(LossKind kind);
  Index particles_;
  bool driven_ = false;
  std::array<Points, loss_names.size()> of_kind_;  // without columns where there is none
};

/// Books part of a step in which velocities change by impulses alone, v⁺ = v + M⁻¹ Σ J: each takes −J·(v + v⁺)/2, so
/// that all forces together give exactly what the kinetic energy gains, however long the step. Without a book it does
/// nothing.
class ImpulseWork {
 public:
  /// v: velocities before.
  ImpulseWork(Losses* book, const Model& model, const Points& v) : book_(book) {
    if (!book) return;
    felt_.emplace(model);
    before_ = v;
  }
  /// Where forces leave their impulses; null without a book.
  Impulses* felt() { return felt_ ? &*felt_ : nullptr; }
  /// after: velocities after; those of driven particles, like v, ones that their paths have at about the time.
  void close(const Points& after) {
    if (felt_) book_->add(1, felt_->work((before_ + after) / 2));
  }

 private:
  Losses* book_;
  std::optional<Impulses> felt_;
  Points before_;
};

/// f += Σ F over the terms that `select` accepts, and leaves weight [s] times their impulses in `felt`, if given.
template <class Select>
void add_forces(const Model& model, const State& s, Points& f, Select select, Impulses* felt, double weight) {
  if (felt)
    felt->add_forces(model, s, f, weight, select);
  else
    model.add_forces(s, f, select);
}

/// Books the flow of a term, which has one, over h [s] from the state: what the kinetic energy of free particles lost,
/// and the impulse on driven ones, whose supports bear it.
void book_flow(const Model& model, const ForceTerm& term, const State& before, double h, const Points& after,
               Losses& book);

/// What shows a chain of flows over h [s] at a state to a book; nothing without one. All must outlive it.
inline FlowObserver flow_book(const Model& model, const State& at, double h, Losses* book) {
  if (!book) return {};
  return [&model, &at, h, book](const ForceTerm& term, const Points& before, const Points& after) {
    book_flow(model, term, {at.t, at.x, before}, h, after, *book);
  };
}

/// Books what changes a body's energy between two states without a force of the body: the kinetic energy of driven
/// particles and tracers, and Σ ∫∂U/∂t dt over potentials that change with time. The latter is U(x, t⁺) − U(x, t)
/// half-way between the positions, so of second order, and right where a field is switched; for a higher `order` it is
/// extrapolated along the cubic through both states to the fourth (Richardson).
void book_surroundings(const Model& model, const State& before, const State& after, int order, Losses& book);

}  // namespace pithball::sim
