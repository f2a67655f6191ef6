#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/energy_kind.hpp"
#include "sim/core/losses.hpp"
#include "sim/core/state.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

class Model;
class BlockMatrix;
struct Topology;

/// Capabilities of a force term, as data.
struct ForceTraits {
  std::string name;       ///< as in the experiment file: "coulomb"
  std::optional<EnergyKind> energy = {};  ///< what its potential energy belongs to; empty: it has none
  LossKind loss = LossKind::Drivers;  ///< without a potential: which loss its work counts as
  bool implicit = false;  ///< stiff: treated implicitly by the IMEX schemes; must offer the sparse blocks below
  bool velocity_dependent = false;  ///< F depends on v; an implicit one must be linear in v
  bool velocity_blocks = false;     ///< velocity-dependent with F = −∂R/∂v: offers R and the blocks ∂F/∂v, as implicit
                                    ///< ones must, so that a step can take it at its end
  bool kicks = false;               ///< changes velocities at once between steps, by `kick`
  bool differentiable = true;       ///< offers `add_jvp` and `add_vjp`; others are refused where derivatives are asked
};

/// A direction in the space of all arguments of the forces, or a gradient with respect to them.
struct Variation {
  Points x;       ///< δx [m] or ∂L/∂x, 3×N
  Points v;       ///< δv [m/s] or ∂L/∂v, 3×N
  Vector values;  ///< δ of the model's physical values or ∂L/∂values, in the layout of `Model::values()`

  static Variation zero(Index particles, Index values) {
    return {Points::Zero(3, particles), Points::Zero(3, particles), Vector::Zero(values)};
  }
};

/// One summand F(x, v, t; values) of the force on all particles, with its linearisation. The object holds structure
/// only (which springs, which field); its physical numbers live in `Model::values()`, declared once by `declare`.
///
/// A term is one file. Everything that uses it (the three kinds of time step, their tangents and adjoints, energy
/// books, fits) goes through these functions. All `add_…` functions accumulate and have no other effect.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;
  virtual const ForceTraits& traits() const = 0;

  /// Adds the term's blocks of physical values; called once while the model is built. The term keeps the block numbers.
  virtual void declare(const Topology&, Values&) {}

  /// Throws InvalidArgument if the term cannot be evaluated at this initial state (coincident charges, for example).
  virtual void validate(const Model&, const State&) const {}

  /// f += F(x, v, t) [N], 3×N.
  virtual void add_force(const Model&, const State&, Points& f) const = 0;

  /// U(x, t) [J] with F = −∇U; empty if the term is not conservative.
  virtual std::optional<double> energy(const Model&, const State&) const { return {}; }

  /// Whether U may change between two times [s] while nothing moves: of charges on a path, fields in t. Such a term does
  /// work on a body that its potential does not show.
  virtual bool changes_between(double from, double to) const { return false; }

  /// df += ∂F/∂x δx + ∂F/∂v δv + ∂F/∂values δvalues.
  virtual void add_jvp(const Model&, const State&, const Variation& d, Points& df) const = 0;

  /// The transpose: for w = ∂L/∂f adds (∂F/∂x)ᵀw to g.x, (∂F/∂v)ᵀw to g.v and (∂F/∂values)ᵀw to g.values.
  virtual void add_vjp(const Model&, const State&, const Points& w, Variation& g) const = 0;

  /// The shortest time [s] in which the force changes as a whole while particles move with the velocities of this state
  /// and the accelerations a [m/s²], 3×N, 0 of held ones. Schemes that choose their substeps ask for it. By default the
  /// time scale of the linearisation along the motion,
  ///   min_i √(m_i/|∂F/∂x d|_i),  and where F depends on v  m_i/|∂F/∂v d|_i,   d_i the directions of v_i, then of a_i,
  /// which knows no more than the force here does: a term whose force grows without bound, or begins at once, where
  /// things meet looks at the gaps between them too (`closest_approach`). Infinite where nothing changes.
  virtual double shortest_time(const Model&, const State&, const Points& a) const;

  // Explicit velocity-dependent terms only: the exact flow of m dv/dt = F(x, v, t) over the time h at fixed x and t,
  // which schemes made of kicks use in place of the force.

  /// v ← flow(v).
  virtual void flow_velocity(const Model&, const State&, double h, Points& v) const {}
  /// J += the impulse ∫F dt [N s] of the flow on held particles, whose velocities stay as they are; other columns are
  /// of no use. As it stands it serves forces on each particle alone.
  virtual void add_flow_impulse(const Model& model, const State& s, double h, Points& J) const;
  /// dv ← derivative of the flow's result in direction d, at s.v before the flow.
  virtual void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const {}
  /// For a = ∂L/∂(result), adds ∂L/∂x and ∂L/∂values to g and *replaces* g.v by ∂L/∂(v before the flow).
  virtual void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const {}

  // Terms with `velocity_blocks` only.

  /// Rayleigh's dissipation function R(x, v, t) [W], convex in v, with F = −∂R/∂v; any function of x and t may be added.
  virtual double dissipation(const Model&, const State&) const { return 0; }
  /// J += scale · ∂F/∂v, in symmetric 3×3 blocks.
  virtual void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const {}

  // Terms that kick only.

  /// Changes the velocities of particles that are not held at the end of step n ≥ 1, whose length was h [s]. What is
  /// random is a function of (seed, n, particle, component), so that a resumed run is the uninterrupted one.
  virtual void kick(const Model&, double h, Index n, State&) const {}

  // Approximate terms only: sums over cells of space, say, whose value jumps where a particle changes its cell. Their
  // derivatives are those of the approximation with the cells held fast.

  /// A copy of this term that decides on its cells once for each time t and keeps to them whatever the positions, so
  /// that finite differences see a smooth function; null for a term that decides nothing.
  virtual std::shared_ptr<ForceTerm> frozen() const { return nullptr; }
  /// How many particles a frozen term has found outside their cells, at most in one evaluation.
  virtual Index crossings() const { return 0; }

  // Implicit terms only -------------------------------------------------------------------------------------------

  /// J += scale · ∂F/∂x, in 3×3 blocks. `definite` asks for the nearest negative semidefinite spring-wise blocks
  /// instead (for regularised Newton steps, never for derivatives).
  virtual void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const {}

  /// L += a scalar n×n matrix that bounds −position_scale·∂F/∂x − velocity_scale·∂F/∂v from above for every state,
  /// given as graph weights: `edge(i, j, w)` adds w (e_i − e_j)(e_i − e_j)ᵀ and `vertex(i, w)` adds w e_i e_iᵀ.
  struct Majoriser {
    virtual ~Majoriser() = default;
    virtual void edge(Index i, Index j, double weight) = 0;
    virtual void vertex(Index i, double weight) = 0;
  };
  virtual void add_majoriser(const Model&, double position_scale, double velocity_scale, Majoriser&) const {}

  /// bound_i ≥ how much −∂F/∂x can lower the quadratic form at particle i: Σ_i bound_i |w_i|² ≥ −wᵀ(−∂F/∂x)w [N/m].
  virtual void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const {}
};

}  // namespace pithball::sim
