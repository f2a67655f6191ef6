#pragma once
#include <array>
#include <functional>
#include <optional>

#include "sim/core/losses.hpp"
#include "sim/force/some_particles.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Whether splitting integrators apply a term by its exact velocity flow: explicit velocity-dependent terms.
inline bool is_flow(const ForceTerm& term) { return term.as<VelocityFlow>() != nullptr; }

/// Whether a flow only turns velocities, as a magnetic field does: it does no work.
inline bool is_turn(const ForceTerm& term) { return is_flow(term) && !term.traits().energy && !term.traits().loss; }

/// Order of the flows: that of the model's terms, or the reverse.
enum class FlowOrder { Forward, Backward };

/// Which flows make up a chain, in which order.
struct FlowChoice {
  /// The terms that `its_terms` accepts, all flows by default, in the given order.
  FlowChoice(FlowOrder its_order, bool (*its_terms)(const ForceTerm&) = is_flow)
      : order(its_order), selects(its_terms) {}
  FlowOrder order;                    ///< of the terms in the chain
  bool (*selects)(const ForceTerm&);  ///< whether a term is in the chain; it must be a flow
};

/// Called for each term of a chain of flows, with the velocities before and after its flow.
using FlowObserver = std::function<void(const ForceTerm&, const Points& before, const Points& after)>;

/// v ← the chain of the chosen velocity flows over h [s] at fixed positions and time of `at`, whose own velocities are
/// not used. The velocities of held particles are prescribed and do not change, so that forces on a held particle do
/// not affect others.
void apply_velocity_flows(const Model& model, const State& at, double h, const FlowChoice& choice, Points& v,
                          const FlowObserver& observe = {});

/// The impulses J [N s] of part of a step on all particles, including held ones, separated by the loss to which their
/// work is booked: those of nonconservative forces, and the reactions of driven particles' supports. All functions
/// accumulate. Models without such forces have no overhead.
class Impulses {
 public:
  /// No impulses yet, for the particles of this model.
  explicit Impulses(const Model& model);

  /// Whether the work of a term is booked by its impulse.
  static bool books(const ForceTerm& term) {
    const ForceTraits& traits = term.traits();
    return !traits.energy && traits.loss && !term.as<Kick>();
  }
  /// Whether a particle of the model follows a path.
  bool driven() const { return driven_; }

  /// f += Σ F over the terms that `select` accepts; J += weight [s] times those that are booked.
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
      of(*term->traits().loss) += weight * (f - before);
    }
  }
  /// Adds the reactions of driven particles' supports to the forces f, which must be complete, times weight [s].
  void add_reactions(const Model& model, double weight, const Points& f);
  /// Both for all forces at a state: sums all of them only if a particle is driven.
  void add_all(const Model& model, const State& s, double weight);
  /// J += factor · those of `other`, which must be of as many particles.
  void add(double factor, const Impulses& other);

  /// −J·v [J]: the energy removed if particles move at v [m/s] on average.
  Losses work(const Points& v) const;

 private:
  Points& of(LossKind kind);
  Index particles_;
  bool driven_ = false;
  std::array<Points, loss_names.size()> of_kind_;  // empty matrices for unused kinds
};

/// Books part of a step in which velocities change only by impulses, v⁺ = v + M⁻¹ Σ J: each removes −J·(v + v⁺)/2, so
/// that all forces together give exactly the change of the kinetic energy for any step. Does nothing without a book.
class ImpulseWork {
 public:
  /// v: velocities before.
  ImpulseWork(Losses* book, const Model& model, const Points& v) : book_(book) {
    if (!book) return;
    impulses_.emplace(model);
    before_ = v;
  }
  /// Accumulator for the forces' impulses; null without a book.
  Impulses* impulses() { return impulses_ ? &*impulses_ : nullptr; }
  /// after: velocities after the impulses; those of driven particles, like v, are path velocities near that time.
  void close(const Points& after) {
    if (impulses_) book_->add(1, impulses_->work((before_ + after) / 2));
  }

 private:
  Losses* book_;
  std::optional<Impulses> impulses_;
  Points before_;
};

/// f += Σ F over the terms that `select` accepts; if `impulses` is given, adds weight [s] times their impulses to it.
template <class Select>
void add_forces(const Model& model, const State& s, Points& f, Select select, Impulses* impulses, double weight) {
  if (impulses)
    impulses->add_forces(model, s, f, weight, select);
  else
    model.add_forces(s, f, select);
}

/// Books the flow of a term over h [s] from the state: the kinetic energy lost by free particles, and the impulse on
/// driven ones, which their supports bear. Nothing for a term that does no work.
void book_flow(const Model& model, const ForceTerm& term, const State& before, double h, const Points& after,
               Losses& book);

/// A visitor that books a chain of flows over h [s] at a state; empty without a book. All arguments must outlive it.
inline FlowObserver flow_book(const Model& model, const State& at, double h, Losses* book) {
  if (!book) return {};
  return [&model, &at, h, book](const ForceTerm& term, const Points& before, const Points& after) {
    book_flow(model, term, {at.t, at.x, before}, h, after, *book);
  };
}

/// Books changes of energy between two states that no force of the body causes: the kinetic energy of driven particles
/// and tracers, and Σ ∫∂U/∂t dt over time-dependent potentials. The latter is U(x, t⁺) − U(x, t) at the midpoint of the
/// positions, of second order, and exact for a switched field; for a higher `order` it is extrapolated along the cubic
/// through both states to fourth order (Richardson).
void book_surroundings(const Model& model, const State& before, const State& after, int order, Losses& book);

/// M⁻¹ Σ F(x, v, t) over all force terms [m/s²], 3×N; zero for held particles and tracers. If `impulses` is given, adds
/// weight [s] times the forces' impulses to it.
Points acceleration(const Model& model, const State& state, Impulses* impulses = nullptr, double weight = 0);

/// Moves held particles of an intermediate state of an explicit step to their positions at its time, and returns the
/// acceleration there.
Points stage_acceleration(const Model& model, State& stage, Impulses* impulses = nullptr, double weight = 0);

/// Σ F over the terms that `select` accepts [N], where `earlier` is that sum without the particles after its last
/// column: only their part is summed, unless a term must be summed as a whole.
template <class Select>
Points extended_force(const Model& model, const State& s, const Points& earlier, Select select) {
  Points force = Points::Zero(3, model.particles());
  force.leftCols(earlier.cols()) = earlier;
  const SomeParticles joined = SomeParticles::from(model, s, earlier.cols());
  for (const auto& term : model.terms()) {
    if (!select(*term) || term->as<Kick>()) continue;
    if (joined.add_force(term, force)) continue;
    force.setZero();
    model.add_forces(s, force, select);
    break;
  }
  return force;
}

}  // namespace pithball::sim
