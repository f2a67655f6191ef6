#include "sim/force/force_registry.hpp"

#include "sim/force/contact_penalty.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/dry_friction.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/lennard_jones.hpp"
#include "sim/force/point_charge.hpp"

namespace pithball::sim {

const std::vector<ForceInfo>& forces() {
  static const std::vector<ForceInfo> registry{
      {"coulomb", "Coulomb forces between all charged particles, F_i = k_c q_i Σ q_j r/|r|³", CoulombForce::make},
      {"gravity", "uniform gravity, F = m g", Gravity::make},
      {"electric_field", "an external electric field, uniform or given by expressions, F = q e(x, t)",
       ElectricField::make},
      {"point_charge", "an external charge, at rest or on a path, F = k_c q Q r/|r|³", PointCharge::make},
      {"drag", "linear and quadratic drag in a wind u, F = −c₁ (v − u) − c₂ |v − u| (v − u)", make_drag},
      {"dry_friction", "dry friction with what rests, smoothed at small speeds, F = −f tanh(|v|/s) v/|v|",
       DryFriction::make},
      {"lennard_jones", "Lennard-Jones forces between close particles, U = 4ε [(σ/r)^12 − (σ/r)^6], cut and shifted",
       LennardJones::make},
      {"contact_penalty",
       "spheres that resist being pushed into each other, F = k d + c d' along the normal, depth d > 0",
       ContactPenalty::make},
  };
  return registry;
}

}  // namespace pithball::sim
