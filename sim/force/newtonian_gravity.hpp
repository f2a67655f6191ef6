#pragma once
#include "sim/force/inverse_square_force.hpp"

namespace pithball::sim {

/// Newton's gravity between all pairs of particles: U = −Σ_{i<j} G m_i m_j / ρ_ij with ρ² = |x_i − x_j|² + ε², force on
/// i −G m_i Σ_j m_j r_ij / ρ³. Values: the model's masses [kg] and `gravitational_constant` G [N m²/kg²].
class NewtonianGravity final : public InverseSquareForce {
 public:
  /// Newton's constant [N m²/kg²] (CODATA 2018).
  static constexpr double nature = 6.67430e-11;

  /// `sum` must have been made with the same softening ε ≥ 0 [m]. Initial G ≥ 0 [N m²/kg²].
  explicit NewtonianGravity(std::shared_ptr<const CoulombSum> sum, double constant = nature, double softening = 0);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  /// A copy with cells of its own, chosen once for each time.
  std::shared_ptr<ForceTerm> frozen() const override;

 private:
  double constant_;  // initial value; `Model::values()` has the current one
};

}  // namespace pithball::sim
