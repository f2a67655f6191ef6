#include "sim/force/force_registry.hpp"

#include <algorithm>
#include <iterator>

#include "sim/force/applied_force.hpp"
#include "sim/force/brownian.hpp"
#include "sim/force/chain_bending.hpp"
#include "sim/force/contact_penalty.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/dry_friction.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/hinge_bending.hpp"
#include "sim/force/image_plane.hpp"
#include "sim/force/langevin.hpp"
#include "sim/force/lennard_jones.hpp"
#include "sim/force/magnetic_field.hpp"
#include "sim/force/medium.hpp"
#include "sim/force/newtonian_gravity.hpp"
#include "sim/force/obstacle_penalty.hpp"
#include "sim/force/pair_potential.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/force/screened_coulomb.hpp"
#include "sim/force/sph_fluid.hpp"
#include "sim/force/velocity_rescaling.hpp"

namespace pithball::sim {
namespace {

/// Settings with which the force has no effect, wherever the body moves.
IdleSettings idle(const char* settings) {
  return [settings](const Vec3&, const Vec3&) { return std::vector<std::string>{settings}; };
}

/// Marks a force that a model needs at most once.
ForceInfo single(ForceInfo force) {
  force.is_single = true;
  return force;
}

std::vector<ForceInfo> mechanical_forces() {
  return {
      single(
          {"coulomb", "Coulomb forces between all charged particles, F_i = k_c q_i Σ q_j r/|r|³", CoulombForce::make}),
      single({"screened_coulomb",
              "Coulomb forces in a medium with screening, U = k_c q_i q_j e^{−r/λ}/(ε_r r)",
              ScreenedCoulomb::make,
              true,
              {idle("{}")},
              "coulomb"}),
      {"image_plane",
       "a grounded plane, by image charges, F_i = −k_c q_i Σ q_j (x_i − x_j')/|x_i − x_j'|³",
       ImagePlane::make,
       true,
       {ImagePlane::idle_places}},
      {"chain_bending", "bending of chains as of rods, U = Σ B/(2 l̄) (2 tan(φ/2) − 2 tan(φ₀/2))²", ChainBending::make},
      {"hinge_bending", "bending of surfaces as of plates, U = Σ D/2 |e|²/(A₁ + A₂) (θ − θ₀)²", HingeBending::make},
      single({"gravity", "uniform gravity, F = m g", Gravity::make, true, {idle("[0, 0, 0]")}}),
      single({"newtonian_gravity", "Newton's gravity between all particles, F_i = −G m_i Σ m_j r/|r|³",
              NewtonianGravity::make}),
      {"electric_field",
       "an external electric field, uniform, switched, or given by expressions or a table, F = q e(x, t)",
       ElectricField::make,
       true,
       {idle("[0, 0, 0]")}},
      {"magnetic_field",
       "a magnetic field, uniform or given by expressions or a table, F = q v × B(x, t)",
       MagneticField::make,
       true,
       {idle("[0, 0, 0]")}},
      {"point_charge", "an external charge, at rest or on a path, F = k_c q Q r/|r|³", PointCharge::make},
      {"applied_force",
       "a force F(t) on each particle, or a total shared by them equally, F_i = F(t)/n",
       AppliedForce::make,
       true,
       {idle("{total: [0, 0, 0]}")}},
      {"field_potential", "a potential given by an expression, F = −w ∇φ(x, t) with w = 1, mass or charge",
       FieldPotential::make},
      single({"drag",
              "linear and quadratic drag in a wind u, F = −c₁ (v − u) − c₂ |v − u| (v − u)",
              make_drag,
              true,
              {idle("{linear: 0}"), idle("{quadratic: 0}")}}),
      single({"medium",
              "a viscous and heavy medium around spheres, F = −6π η r/(1 + A/r) (v − u) − ρ V g with V = 4/3 π r³",
              make_medium}),
      single({"dry_friction",
              "dry friction with surroundings at rest, smoothed at low speeds, F = −f tanh(|v|/s) v/|v|",
              DryFriction::make}),
  };
}

std::vector<ForceInfo> short_range_forces() {
  return {
      single({"lennard_jones",
              "Lennard-Jones forces between particles within the cutoff, U = 4ε [(σ/r)^12 − (σ/r)^6], truncated and "
              "shifted",
              LennardJones::make}),
      {"pair_potential",
       "forces between particles within the cutoff, with a potential U(r) given by an expression, truncated and "
       "shifted",
       PairPotential::make},
      single({"contact_penalty",
              "repulsion of overlapping spheres, F = k d + c d' along the normal, at penetration depth d > 0",
              ContactPenalty::make}),
      {"plane_penalty", "a plane that pushes back particles behind it, F = k d n − c (n·v) n at depth d > 0",
       ObstaclePenalty::make_plane},
      {"sphere_penalty", "a sphere that keeps particles outside or inside, F = k d n − c (n·v) n",
       ObstaclePenalty::make_sphere},
      {"box_penalty",
       "an axis-aligned box that keeps particles inside (container) or outside (block), F = k d n − c (n·v) n",
       ObstaclePenalty::make_box},
      single({"sph",
              "smoothed-particle hydrodynamics (SPH): a fluid, F_i = −m_i Σ m_j (P_i/ρ_i² + P_j/ρ_j²) ∇W and viscosity",
              make_sph, false}),
  };
}

std::vector<ForceInfo> thermal_forces() {
  return {
      single({"brownian",
              "random impulses from a surrounding medium, Δv = √(2 c k_B T τ)/m ξ for τ = h/2 before and after each "
              "step; combine with `drag: {linear: c}`",
              Brownian::make, false}),
      single({"langevin",
              "Langevin thermostat, v ← e^{−γτ} v + √((1 − e^{−2γτ}) k_B T/m) ξ for τ = h/2 before and after each step",
              Langevin::make, false}),
      single({"velocity_rescaling",
              "thermostat that multiplies all velocities of heat by one factor, v ← u + λ (v − u), u of the center of "
              "mass",
              VelocityRescaling::make, false}),
  };
}

}  // namespace

Registry<ForceInfo>& forces() {
  static Registry<ForceInfo> registry("forces", [] {
    std::vector<ForceInfo> all = mechanical_forces();
    std::ranges::move(short_range_forces(), std::back_inserter(all));
    std::ranges::move(thermal_forces(), std::back_inserter(all));
    return all;
  }());
  return registry;
}

}  // namespace pithball::sim
