#pragma once
#include "sim/constraint/constraint.hpp"

namespace pithball::sim {

/// A contact that pushed during a step.
struct ContactRecord {
  Index constraint = 0;        ///< its number in `Model::constraints()`
  ConstraintRow row = {};      ///< which particles; with one, the other side is the obstacle
  Vec3 point = Vec3::Zero();   ///< of contact, when it last pushed [m]
  Vec3 normal = Vec3::Zero();  ///< unit vector toward the first particle
  double depth = 0;            ///< largest overlap that the projection met [m]
  double impulse = 0;          ///< along the normal, in the whole step [N s]
};

}  // namespace pithball::sim
