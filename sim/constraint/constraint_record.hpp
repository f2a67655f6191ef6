#pragma once
#include "sim/constraint/constraint.hpp"
#include "sim/core/types.hpp"

namespace pithball::sim {

/// A row that broke because its tension exceeded its strength; it is absent from then on.
struct BrokenLink {
  double t = 0;            ///< end of the substep in which it broke [s]
  Index constraint = 0;    ///< index in `Model::constraints()`
  ConstraintRow row = {};  ///< as it was; `item` is the link
  double tension = 0;      ///< −λ/Δt² [N]
};

/// A contact that was active during a step.
struct ContactRecord {
  Index constraint = 0;        ///< index in `Model::constraints()`
  ConstraintRow row = {};      ///< its particles; with only one, the other side is the obstacle
  Vec3 point = Vec3::Zero();   ///< of contact, when it was last active [m]
  Vec3 normal = Vec3::Zero();  ///< unit vector toward the first particle
  double depth = 0;            ///< largest overlap before a projection [m]
  double impulse = 0;          ///< along the normal, in the whole step [N s]
};

/// Number of active contacts, and their largest overlap [m].
struct Pushing {
  Index contacts = 0;  ///< number of rows with λ > 0
  double deepest = 0;  ///< 0 without contacts
};

}  // namespace pithball::sim
