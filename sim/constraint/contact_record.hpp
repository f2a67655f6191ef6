#pragma once
#include "sim/constraint/constraint.hpp"

namespace pithball::sim {

/// A contact that was active during a step.
struct ContactRecord {
  Index constraint = 0;        ///< index in `Model::constraints()`
  ConstraintRow row = {};      ///< its particles; with only one, the other side is the obstacle
  Vec3 point = Vec3::Zero();   ///< of contact, when it was last active [m]
  Vec3 normal = Vec3::Zero();  ///< unit vector toward the first particle
  double depth = 0;            ///< largest overlap before a projection [m]
  double impulse = 0;          ///< along the normal, in the whole step [N s]
};

}  // namespace pithball::sim
