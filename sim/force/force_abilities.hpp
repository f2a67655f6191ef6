#pragma once
// What a force can do beyond being summed: one small interface for each ability. A class that has some derives from
// `ForceWith<…>` (force_term.hpp) and names them there.

#include <memory>

#include "sim/core/abilities.hpp"
#include "sim/core/state.hpp"
#include "sim/force/variation.hpp"

namespace pithball::sim {

class BlockMatrix;
class ForceTerm;
class Model;

/// Collects a scalar n×n matrix L, as a sum of weights of a graph.
class Majorizer {
 public:
  virtual ~Majorizer() = default;
  virtual void edge(Index i, Index j, double weight) = 0;  ///< L += w (e_i − e_j)(e_i − e_j)ᵀ
  virtual void vertex(Index i, double weight) = 0;         ///< L += w e_i e_iᵀ
};

/// Of a stiff force of positions alone that has a potential energy: IMEX integrators take it implicitly, f_s.
class StiffPotential {
 public:
  virtual ~StiffPotential() = default;

  /// J += scale · ∂F/∂x, in 3×3 blocks. `definite` asks for the nearest negative semidefinite spring-wise blocks
  /// instead (for regularized Newton steps, never for derivatives).
  virtual void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const = 0;

  /// Adds to L what bounds −scale · ∂F/∂x from above for every state.
  virtual void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const = 0;

  /// bound_i ≥ how much −∂F/∂x can lower the quadratic form at particle i: Σ_i bound_i |w_i|² ≥ −wᵀ(−∂F/∂x)w [N/m].
  virtual void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const = 0;
};

/// Of a force F = −∂R/∂v, which an integrator can so take at the end of its step.
class Dissipation {
 public:
  virtual ~Dissipation() = default;

  /// Rayleigh's dissipation function R(x, v, t) [W], convex in v; any function of x and t may be added.
  virtual double dissipation(const Model&, const State&) const = 0;

  /// J += scale · ∂F/∂v, in symmetric 3×3 blocks.
  virtual void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const = 0;
};

/// Of one that is linear in v and may be stiff: IMEX integrators take it implicitly, F_d.
class LinearDissipation : public Dissipation {
 public:
  /// Adds to L what bounds −scale · ∂F/∂v from above for every state.
  virtual void add_damping_majorizer(const Model&, double scale, Majorizer& L) const = 0;
};

/// Of an explicit force that depends on velocity: the exact flow of m dv/dt = F(x, v, t) over the time h at fixed x and
/// t, which integrators made of kicks use in place of the force.
class VelocityFlow {
 public:
  virtual ~VelocityFlow() = default;

  /// v ← flow(v).
  virtual void flow_velocity(const Model&, const State&, double h, Points& v) const = 0;

  /// J += the impulse ∫F dt [N s] of the flow on held particles, whose velocities stay as they are; other columns are
  /// of no use. `add_steady_impulse` serves forces on each particle alone.
  virtual void add_flow_impulse(const Model&, const State&, double h, Points& J) const = 0;

  // Of differentiable forces only.

  /// dv ← derivative of the flow's result in direction d, at s.v before the flow.
  virtual void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const {}
  /// For a = ∂L/∂(result), adds ∂L/∂x and ∂L/∂values to g and *replaces* g.v by ∂L/∂(v before the flow).
  virtual void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const {}
};

/// Of a force that changes velocities at once between steps, at random for example. It acts in this way only: it has
/// neither a force nor an energy.
class Kick {
 public:
  virtual ~Kick() = default;

  /// Changes the velocities of particles that are not held at the end of step n ≥ 1, whose length was h [s]. What is
  /// random is a function of (seed, n, particle, component), so that a resumed run is the uninterrupted one.
  virtual void kick(const Model&, double h, Index n, State&) const = 0;
};

/// Of an approximate force: a sum over cells of space, say, whose value jumps where a particle changes its cell. Its
/// derivatives are those of the approximation with the cells held fast.
class Approximation {
 public:
  virtual ~Approximation() = default;

  /// A copy of the force that decides on its cells once for each time t and keeps to them whatever the positions, so
  /// that finite differences see a smooth function.
  virtual std::shared_ptr<ForceTerm> frozen() const = 0;

  /// How many particles a frozen force has found outside their cells, at most in one evaluation; 0 of others.
  virtual Index crossings() const = 0;
};

/// What a force can do, by these interfaces.
using ForceAbilities = Abilities<StiffPotential, Dissipation, LinearDissipation, VelocityFlow, Kick, Approximation>;

}  // namespace pithball::sim
