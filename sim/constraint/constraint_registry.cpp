#include "sim/constraint/constraint_registry.hpp"

#include "sim/constraint/distance_constraint.hpp"
#include "sim/constraint/mesh_contact.hpp"
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/constraint/pin_constraint.hpp"
#include "sim/constraint/sphere_contact.hpp"

namespace pithball::sim {

namespace {

std::vector<ConstraintInfo> built_in_constraints() {
  return {
      {"distance", "links of given length, rigid or compliant, |x_i − x_j| = l", DistanceConstraint::make, true},
      {"pin", "particles kept at their initial positions, rigidly or compliantly, x = p", PinConstraint::make, true},
      {"spheres", "particles as hard spheres with restitution and friction, |x_i − x_j| ≥ r_i + r_j",
       SphereContact::make},
      {"plane", "a half-space that stops particles, with restitution and friction, n·(x − p) ≥ r", PlaneContact::make},
      {"box", "an axis-aligned box, as a container or a block, with restitution and friction", BoxContact::make},
      {"mesh", "a closed triangle mesh that stops particles outside or inside, with restitution and friction",
       MeshContact::make},
  };
}

}  // namespace

Registry<ConstraintInfo>& constraints() {
  static Registry<ConstraintInfo> registry("constraints", built_in_constraints());
  return registry;
}

}  // namespace pithball::sim
