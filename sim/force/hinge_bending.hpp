#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/bending_force.hpp"

namespace pithball::sim {

/// Bending of surfaces, as of thin plates, shells and cloth: at each edge between two triangles, with the angle θ
/// between their normals (0: flat, signed),
///   U = Σ D/2 |e|²/(A₁ + A₂) (θ − θ₀)²
/// with the length |e| of the edge and the areas of both triangles at rest (discrete shells, Grinspun et al. 2003).
/// Value: `hinge_bending_stiffness` D [N m], the flexural rigidity E h³/(12 (1 − ν²)) of a plate of thickness h that is
/// bent to a cylinder.
class HingeBending final : public BendingForce<4> {
 public:
  /// Hinges at all edges between two faces; polygons are triangulated. The surface rests as it is drawn, or flat.
  /// Throws InvalidArgument for an edge of more than two triangles, and for one between triangles without area.
  HingeBending(double stiffness, const Polygons& drawn, bool rests_flat);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>& origins) const override;

 private:
  double energy_of(const Angle&, const Places& x) const override;
  Places gradient_of(const Angle&, const Places& x) const override;
  Matrix hessian_of(const Angle&, const Places& x) const override;
  bool is_defined(const Angle&, const Places& x) const override;
};

}  // namespace pithball::sim
