#pragma once
// Optional abilities of a force: one small interface for each. A class lists its abilities in its base `ForceWith<…>`
// (force_term.hpp).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/abilities.hpp"
#include "sim/core/spring.hpp"
#include "sim/core/state.hpp"
#include "sim/force/charge_field.hpp"
#include "sim/force/touch.hpp"
#include "sim/force/variation.hpp"

namespace pithball::sim {

class BlockMatrix;
class ForceTerm;
class Model;

/// Collects a scalar n×n matrix L as a sum of graph weights.
class Majorizer {
 public:
  virtual ~Majorizer() = default;
  virtual void edge(Index i, Index j, double weight) = 0;  ///< L += w (e_i − e_j)(e_i − e_j)ᵀ
  virtual void vertex(Index i, double weight) = 0;         ///< L += w e_i e_iᵀ
};

/// Ability of a stiff, conservative force that depends only on positions: IMEX integrators treat it implicitly, as f_s.
class StiffPotential {
 public:
  virtual ~StiffPotential() = default;

  /// J += scale · ∂F/∂x, in 3×3 blocks. `definite` requests the nearest negative semidefinite blocks per spring instead
  /// (for regularized Newton steps, never for derivatives).
  virtual void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const = 0;

  /// Pairs of particles with blocks of ∂F/∂x, if they are not the springs of the model.
  virtual std::vector<Spring> couplings() const { return {}; }

  /// Adds to L an upper bound of −scale · ∂F/∂x for every state; if a force has none (the stiffness of an angle grows
  /// without bound as its sides shrink), an upper bound of −scale · ∂F/∂x at rest. L is used for preconditioning only.
  virtual void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const = 0;

  /// bound_i: upper bound of the decrease of the quadratic form by −∂F/∂x at particle i: Σ_i bound_i |w_i|² ≥
  /// −wᵀ(−∂F/∂x)w [N/m].
  virtual void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const = 0;
};

/// Ability of a force F = −∂R/∂v: an integrator can evaluate it at the end of its step.
class Dissipation {
 public:
  virtual ~Dissipation() = default;

  /// Rayleigh's dissipation function R(x, v, t) [W], convex in v; any function of x and t may be added.
  virtual double dissipation(const Model&, const State&) const = 0;

  /// J += scale · ∂F/∂v, in symmetric 3×3 blocks.
  virtual void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const = 0;
};

/// Ability of a force that is linear in v and may be stiff: IMEX integrators treat it implicitly, as F_d.
class LinearDissipation : public Dissipation {
 public:
  /// Adds to L an upper bound of −scale · ∂F/∂v for every state.
  virtual void add_damping_majorizer(const Model&, double scale, Majorizer& L) const = 0;
};

/// Ability of an explicit velocity-dependent force: the exact flow of m dv/dt = F(x, v, t) over the time h at fixed x
/// and t, used by splitting integrators instead of the force.
class VelocityFlow {
 public:
  virtual ~VelocityFlow() = default;

  /// v ← flow(v).
  virtual void flow_velocity(const Model&, const State&, double h, Points& v) const = 0;

  /// J += the impulse ∫F dt [N s] of the flow on held particles, whose velocities do not change; other columns are
  /// unspecified. Use `add_steady_impulse` for forces that act on each particle alone.
  virtual void add_flow_impulse(const Model&, const State&, double h, Points& J) const = 0;

  // For differentiable forces only.

  /// dv ← derivative of the flow's result in direction d, at s.v before the flow.
  virtual void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const {}
  /// For a = ∂L/∂(result), adds ∂L/∂x and ∂L/∂values to g and *replaces* g.v by ∂L/∂(v before the flow).
  virtual void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const {}
};

/// What a kick requires of the integrator, so that positions spread and drift as they should.
enum class KickNeed {
  None,               ///< any that needs no earlier steps
  PresentVelocities,  ///< velocities at the time of the positions: a kick moves particles before it is damped
  SecondOrder,        ///< a displacement of h²F/2m in a step; a first-order step has 0 or h²F/m
};

/// The temperature that a thermostat should establish, for a check of a run.
struct ThermalBath {
  double thermal_energy;  ///< k_B T [J]
  Index freedoms;         ///< degrees of freedom that have the heat k_B T/2 each, without constraints
  double time;         ///< time in which the slowest particle forgets its velocity, or the temperature approaches T [s]
  std::string remedy;  ///< what to do about a temperature far from T: one clause
};

/// Ability of a force that changes velocities instantly between steps, for example at random. It has no other effect:
/// neither a force nor an energy.
class Kick {
 public:
  virtual ~Kick() = default;

  /// Changes the velocities of free particles by the effect of the time h [s]; this is the n-th change of a run, n ≥ 1.
  /// A step has two, each for half its length: one before its motion, one after. Random numbers are a function of
  /// (seed, n, particle, component), so that a resumed run equals the uninterrupted one.
  virtual void kick(const Model&, double h, Index n, State&) const = 0;

  /// rate_i += γ_i [1/s] of the friction in the kicks, v' = −γ v; nothing if there is none.
  virtual void add_friction_rate(const Model&, double t, Vector& rate) const {}
  /// What it requires of the integrator.
  virtual KickNeed need() const { return KickNeed::None; }
  /// The temperature that it should establish in the whole body at the time t [s]; empty if it acts on a part of it.
  virtual std::optional<ThermalBath> bath(const Model&, double t) const { return {}; }
};

/// Ability of an approximate force, such as a sum over cells of space, whose value jumps when a particle changes its
/// cell. Its derivatives are those of the approximation with fixed cells.
class Approximation {
 public:
  virtual ~Approximation() = default;

  /// A copy of the force that chooses its cells once for each time t and keeps them for all positions, so that finite
  /// differences see a smooth function.
  virtual std::shared_ptr<ForceTerm> frozen() const = 0;

  /// Largest number of particles outside their cells in one evaluation of a frozen force; 0 for others.
  virtual Index crossings() const = 0;
};

/// Ability of a force between all particles to compute the contribution of a few of them, the sum over the pairs in
/// which they occur, at a small part of the cost of the whole.
class PartialSum {
 public:
  virtual ~PartialSum() = default;

  /// f += F of all particles − F of all but `some` [N]; `some` is ascending, each once. Returns false, without effect,
  /// where this would cost as much as F.
  virtual bool add_partial_force(const Model&, const State&, const std::vector<Index>& some, Points& f) const = 0;
  /// U of all particles − U of all but `some` [J]; empty where this would cost as much as U.
  virtual std::optional<double> partial_energy(const Model&, const State&, const std::vector<Index>& some) const = 0;
};

/// What an electric field comes from.
enum class FieldOrigin {
  Charges,   ///< the charges of the particles
  Images,    ///< charges that those of the particles induce in a conductor or dielectric
  External,  ///< what the experiment prescribes
};

/// Ability of a force on charges at rest: an electric field. On a charge q at rest at x, which takes part like every
/// other particle (for a force with `select`, like one of the selected ones), the force is linear in q for small q,
///   F(x, t) = q E(x, t),   E = ∂F/∂q at q = 0,   and where there is a potential   E = −∇φ,
/// the other charges staying where they are. What the charge itself induces is of order q² and not part of E. A force
/// that acts on moving charges only, such as a magnetic field, does not have this ability.
class ActsOnTestCharge {
 public:
  virtual ~ActsOnTestCharge() = default;

  /// What the field comes from; the same for the whole life of the force.
  virtual FieldOrigin field_origin() const = 0;

  /// Adds E [V/m] and φ [V] at the points `at` [m], 3×M, at the time `sources.t`; `field` has M points. Positive
  /// charges repel a positive test charge: near one E points away from it, and φ > 0. φ is 0 at infinity for fields of
  /// charges, on the plane for those of charges and their images, at the origin for a uniform field, and else as given.
  /// At a point without a value (an unsoftened charge, behind an image plane, outside a table) both are NaN; a field
  /// without a potential sets `has_potential` to false.
  ///
  /// The particles are those of `sources`; those of the model, which gives the values of the force, may be others.
  virtual void add_field(const Model&, const SourceCharges& sources, const Points& at, ChargeField& field) const = 0;

  /// How the sum over the charges is computed, as in the experiment file ("fmm"); empty if there is no choice.
  virtual std::string field_method() const { return {}; }

  /// Where external charges are at the time t [s]: points near which the field has no bound [m].
  virtual std::vector<Vec3> field_poles(const Model&, double t) const { return {}; }
};

/// The abilities of a force, through these interfaces.
using ForceAbilities = Abilities<StiffPotential, Dissipation, LinearDissipation, VelocityFlow, Kick, Approximation,
                                 PartialSum, ActsOnTestCharge, BeginsAtTouch, MeetsObstacle>;

}  // namespace pithball::sim
