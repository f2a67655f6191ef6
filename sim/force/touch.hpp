#pragma once
#include <functional>
#include <string>

#include "sim/core/state.hpp"

namespace pithball::sim {

class Model;

/// A particle in contact with a wall of an obstacle, or with another particle.
struct Touch {
  Index i,        ///< the particle
      other;      ///< the other one; −1 − wall for a wall
  Vec3 normal,    ///< n, unit, from the wall or the other particle to it
      velocity;   ///< of the particle relative to that [m/s]
  double mass,    ///< that the contact moves: of the particle, or 1/(1/m_i + 1/m_j); ∞ if all are held [kg]
      stiffness,  ///< change of the force along n per depth [N/m]
      jump,       ///< force that would begin at once at this velocity [N]
      smoothing;  ///< half the way over which the contact begins instead; 0: at once [m]
};

/// Called for each touch.
using TouchVisitor = std::function<void(const Touch&)>;

/// Ability of a force that begins where particles touch something: its steps need not meet the touch, and the
/// derivatives of steps that do not are not those of the motion.
class BeginsAtTouch {
 public:
  virtual ~BeginsAtTouch() = default;

  /// The force of which `smoothing` is a setting, as in the experiment file: "plane_penalty".
  virtual const std::string& touching_force() const = 0;

  /// Calls visit(touch) for all at the state, with the values at its time.
  virtual void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const = 0;
};

/// What a force has to move: 1/(1/m_i + 1/m_j) of the free ones among two particles, or m_i without another (j < 0); ∞
/// if none is free [kg].
double touched_mass(const Model&, Index i, Index j);

}  // namespace pithball::sim
