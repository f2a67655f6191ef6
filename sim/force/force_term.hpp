#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/energy_kind.hpp"
#include "sim/core/losses.hpp"
#include "sim/core/state.hpp"
#include "sim/field/time_course.hpp"
#include "sim/force/force_abilities.hpp"
#include "sim/force/variation.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

struct ParticleOrigin;
struct Topology;

/// On which other particles the force on a particle depends.
enum class Partners {
  All,     ///< it may depend on all of them, and on their number
  Listed,  ///< on those in lists that no emitted particle is in, such as springs and angles
  None,    ///< on none: the force acts on each particle alone
};

/// Properties of a force term, as data. Optional abilities are in `ForceTerm::abilities`.
struct ForceTraits {
  std::string name;                       ///< as in the experiment file: "coulomb"
  std::optional<EnergyKind> energy = {};  ///< kind of its potential energy; empty: none
  /// Without a potential: the loss to which its work is booked; empty if it does no work, so that work in a step is an
  /// error of the integrator.
  std::optional<LossKind> loss = LossKind::Drivers;
  bool differentiable = true;  ///< implements `add_jvp` and `add_vjp`; others are rejected if derivatives are needed
  Partners partners = Partners::All;  ///< if not `All`, sums are saved when particles are emitted
};

/// One term F(x, v, t; values) of the force on all particles, with its linearization. The object holds structure only
/// (which springs, which field); its physical numbers are in `Model::values()`, declared once by `declare`.
///
/// A term is one file. Everything that uses it (time steps, their tangents and adjoints, energy books, fits) calls
/// these functions and the abilities. All `add_…` functions accumulate and have no other effect.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;
  /// Name, kind of energy or loss, and differentiability of the term; constant during its life, owned by it.
  virtual const ForceTraits& traits() const = 0;

  /// Optional abilities; none by default. `ForceWith` overrides it.
  virtual ForceAbilities abilities() const { return {}; }
  /// An ability, `term.as<Kick>()`; null if the term does not have it.
  template <class Ability>
  const Ability* as() const {
    return abilities().get<Ability>();
  }

  /// Adds the term's blocks of physical values; called once when the model is built. The term stores the block numbers.
  virtual void declare(const Topology&, Values&) {}

  /// The same force, with its blocks already declared, for a model with other particles (`Model::with_particles`); null
  /// for a term that names no particles, which can be used there unchanged.
  virtual std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>&) const { return {}; }

  /// Throws InvalidArgument if the term cannot be evaluated at this initial state (coincident charges, for example).
  virtual void validate(const Model&, const State&) const {}

  /// f += F(x, v, t) [N], 3×N.
  virtual void add_force(const Model&, const State&, Points& f) const = 0;

  /// U(x, t) [J] with F = −∇U; empty if the term is not conservative.
  virtual std::optional<double> energy(const Model&, const State&) const { return {}; }

  /// Whether U may change between two times [s] at fixed positions, for example for charges on a path or fields that
  /// depend on t. Such a term does work that its potential does not contain.
  virtual bool changes_between(double from, double to) const { return false; }

  /// Adds how F varies between two times [s] at fixed positions and velocities; the model takes care of key frames.
  /// Steps end where F switches, and adaptive integrators consider what varies. Default: F is constant.
  virtual void add_course(double from, double to, TimeCourse&) const {}

  /// df += ∂F/∂x δx + ∂F/∂v δv + ∂F/∂values δvalues.
  virtual void add_jvp(const Model&, const State&, const Variation& d, Points& df) const = 0;
  /// The same along several directions, df is P×3N. Default: along one after the other. A term overrides it where they
  /// have most of the work in common; to rounding, the result is that of `add_jvp`.
  virtual void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const;

  /// The transpose: for w = ∂L/∂f adds (∂F/∂x)ᵀw to g.x, (∂F/∂v)ᵀw to g.v and (∂F/∂values)ᵀw to g.values.
  virtual void add_vjp(const Model&, const State&, const Points& w, Variation& g) const = 0;

  /// The shortest time [s] in which the force changes significantly while particles move with the velocities of this
  /// state and the accelerations a [m/s²], 3×N, 0 for held ones. Adaptive integrators use it. Default: the time scale
  /// of the linearization along the motion,
  ///   min_i √(m_i/|∂F/∂x d|_i),  and where F depends on v  m_i/|∂F/∂v d|_i,   d_i the directions of v_i, then of a_i,
  /// which only knows the force at this state: a term whose force diverges, or starts suddenly, when particles meet
  /// must also consider the gaps between them (`closest_approach`). Infinite if nothing changes.
  virtual double shortest_time(const Model&, const State&, const Points& a) const;

  /// The shortest time [s] in which particles that move in this way reach the source of the force: a force that acts
  /// only nearby has no effect before, and none at all on a step that leads across its source. For particles inside,
  /// the time in which they cross it. Default: infinite, for a force that acts everywhere.
  virtual double time_to_touch(const Model&, const State&, const Points& a) const {
    return std::numeric_limits<double>::infinity();
  }
};

/// Base of forces with abilities: `class LinearDrag final : public ForceWith<LinearDissipation>`.
template <class... More>
class ForceWith : public ForceTerm, public More... {
 public:
  /// The abilities listed in `More`, as interfaces of this object.
  ForceAbilities abilities() const override { return ForceAbilities::of(*this); }
};

/// Selects all terms of a sum.
inline bool every_term(const ForceTerm&) { return true; }

/// Whether the IMEX integrators treat a term implicitly.
inline bool is_implicit(const ForceTerm& term) {
  const ForceAbilities has = term.abilities();
  return has.get<StiffPotential>() || has.get<LinearDissipation>();
}

/// Whether F depends on v: such a term has a dissipation, a flow, or both, since integrators need one of them to treat
/// it accurately.
inline bool is_velocity_dependent(const ForceTerm& term) {
  const ForceAbilities has = term.abilities();
  return has.get<Dissipation>() || has.get<VelocityFlow>();
}

/// J += h F(x, v, t) [N s]: the impulse of a flow over the time h on particles with constant velocities, for a force
/// that acts on each particle alone.
void add_steady_impulse(const ForceTerm&, const Model&, const State&, double h, Points& J);

}  // namespace pithball::sim
