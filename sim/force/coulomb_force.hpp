#pragma once
#include "sim/force/inverse_square_force.hpp"

namespace pithball::sim {

/// Coulomb forces between all pairs of charged particles: U = Σ_{i<j} k_c q_i q_j / ρ_ij with ρ² = |x_i − x_j|² + ε²,
/// force on i k_c q_i Σ_j q_j r_ij / ρ³. Values: the model's charges [C].
class CoulombForce final : public InverseSquareForce, public ActsOnTestCharge {
 public:
  /// `sum` must have been made with the same softening ε ≥ 0 [m]; with 0, charges at the same point are refused.
  explicit CoulombForce(std::shared_ptr<const CoulombSum> sum, double softening = 0);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  /// Those of every inverse-square force, and the ability to act on a test charge.
  ForceAbilities abilities() const override { return ForceAbilities::of(*this); }
  /// A copy with cells of its own, chosen once for each time.
  std::shared_ptr<ForceTerm> frozen() const override;

  /// The particles' charges.
  FieldOrigin field_origin() const override { return FieldOrigin::Charges; }
  /// By its sum, in which the points are further particles without charge; NaN at a charge, unless it is softened.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;
  /// That of its sum.
  std::string field_method() const override { return sum().name(); }
};

}  // namespace pithball::sim
