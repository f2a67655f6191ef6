#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/core/state.hpp"
#include "sim/field/passage.hpp"

namespace pithball::sim {

class ForceTerm;
class Model;
struct Variation;

/// A particle in contact with a wall of an obstacle, or with another particle.
struct Touch {
  Index i,        ///< the particle
      other;      ///< the other one; −1 − wall for a wall
  Vec3 normal,    ///< n, unit, from the wall or the other particle to it
      velocity;   ///< of the particle relative to that [m/s]
  double mass,    ///< mass that the contact moves: of the particle, or 1/(1/m_i + 1/m_j); ∞ if all are held [kg]
      stiffness,  ///< change of the force along n per depth [N/m]
      jump,       ///< force that would begin at once at this velocity [N]
      smoothing;  ///< half the distance over which the contact begins instead; 0: at once [m]
};

/// Called for each touch.
using TouchVisitor = std::function<void(const Touch&)>;

/// Ability of a force that begins where particles touch something: steps need not end at the touch, and the derivatives
/// of steps that do not are not those of the motion.
class BeginsAtTouch {
 public:
  virtual ~BeginsAtTouch() = default;

  /// The force of which `smoothing` is a setting, as in the experiment file: "plane_penalty".
  virtual const std::string& touching_force() const = 0;

  /// Calls visit(touch) for all at the state, with the values at its time.
  virtual void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const = 0;

  /// A particle that flew through what it should have touched; empty if none did.
  virtual std::optional<Passage> find_passage(const Model&, const Flight&) const { return {}; }
};

/// A free particle and a wall of an obstacle, whether it touches it or not.
struct WallGap {
  Index i,       ///< the particle
      wall;      ///< of the obstacle
  double depth;  ///< d, > 0 in contact [m]
  Vec3 normal;   ///< n, unit, from the wall to the particle: ∂d/∂x = −n
};

/// Called for each gap.
using GapVisitor = std::function<void(const WallGap&)>;

/// Ability of a force that begins where free particles touch walls at rest: a step can end there. A part of a step
/// between two such ends is made with the touches of its beginning, so that the force is smooth in it.
class MeetsObstacle {
 public:
  virtual ~MeetsObstacle() = default;

  /// Calls visit(gap) for all, in the same order at all states of a model. None if the force begins smoothly, or where
  /// another force of the same obstacle has them.
  virtual void for_each_gap(const Model&, const State&, const GapVisitor& visit) const = 0;

  /// The change of a gap's depth at the state along d [m].
  virtual double depth_jvp(const Model&, const State&, const WallGap&, const Variation& d) const = 0;
  /// Its transpose: for w = ∂L/∂depth adds to g.x and g.values.
  virtual void add_depth_vjp(const Model&, const State&, const WallGap&, double w, Variation& g) const = 0;

  /// A copy of the force that keeps the touches of this state: the free particles that touch now do so wherever they
  /// are.
  virtual std::shared_ptr<ForceTerm> holding(const Model&, const State&) const = 0;
};

/// The mass that a force has to move: 1/(1/m_i + 1/m_j) of the free ones among two particles, or m_i without another (j
/// < 0); ∞ if none is free [kg].
double touched_mass(const Model&, Index i, Index j);

}  // namespace pithball::sim
