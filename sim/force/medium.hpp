#pragma once
#include "sim/force/drag.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::sim {

/// Reads `medium: {radius: …, viscosity: …, slip_length: …, density: …, gravity: …, wind: …}` in the list `forces:` and
/// creates the drag and, with a density, the buoyancy of particles that are spheres in a medium.
std::vector<std::shared_ptr<ForceTerm>> make_medium(Settings&);

/// Stokes' drag (1851) of spheres of radius r in a medium of viscosity η that flows with u(x, t), with Cunningham's
/// correction for a gas that slips: linear drag with c₁ = 6π η r/(1 + A/r), for Reynolds numbers 2 r ρ |v − u|/η well
/// below 1. Values: `hydrodynamic_radius` r [m], one for each particle, `medium_viscosity` η [Pa s] and `slip_length` A
/// [m], one entry each.
class StokesDrag final : public LinearDrag {
 public:
  /// r ≥ 0 [m], N entries; η ≥ 0 [Pa s]; u [m/s]; A ≥ 0 [m].
  StokesDrag(Vector radius, double viscosity, std::shared_ptr<const VectorField> flow, double slip_length = 0)
      : LinearDrag({}, std::move(flow)), radius_(std::move(radius)), viscosity_(viscosity), slip_length_(slip_length) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  Vector coefficient(const Model&) const override;
  Index radius_block() const { return radius_block_; }  ///< the block of r

 private:
  Vector coefficient_jvp(const Model&, const Vector& dvalues) const override;
  void add_coefficient_vjp(const Model&, const Vector& a, Vector& gvalues) const override;

  Vector radius_;  // initial values; `Model::values()` has the current ones
  double viscosity_, slip_length_;
  Index radius_block_ = 0, viscosity_block_ = 0, slip_block_ = 0;
};

/// Buoyancy of the same spheres: F = −ρ V g with V = 4/3 π r³, U = Σ ρ V g·x, for the density ρ of the medium and the
/// gravitational acceleration g, which is a setting. Value: `medium_density` ρ, one entry [kg/m³].
class Buoyancy final : public ForceTerm, public DriftsFreely {
 public:
  /// The spheres' drag must be declared first. ρ ≥ 0 [kg/m³], g [m/s²].
  Buoyancy(std::shared_ptr<const StokesDrag> spheres, double density, const Vec3& gravity)
      : spheres_(std::move(spheres)), density_(density), gravity_(gravity) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;

 private:
  Vector volumes(const Model&) const;
  /// ∂V/∂r = 4π r².
  Vector surfaces(const Model&) const;

  std::shared_ptr<const StokesDrag> spheres_;
  double density_;  // initial value; `Model::values()` has the current one
  Vec3 gravity_;
  Index block_ = 0;
};

}  // namespace pithball::sim
