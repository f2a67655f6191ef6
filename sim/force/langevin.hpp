#pragma once
#include "sim/force/thermal_kick.hpp"

namespace pithball::sim {

/// Langevin thermostat: friction and random kicks that together maintain a temperature. At the end of each step the
/// exact flow of m dv = −γ m v dt + √(2 γ m k_B T) dW: v ← e^{−γh} v + √((1 − e^{−2γh}) k_B T/m) ξ, ξ normal with
/// variance 1 (Leimkuhler and Matthews, J. Chem. Phys. 138, 2013: the step O). In the limit γh → ∞ velocities are drawn
/// anew. Value: `langevin_friction_rate` γ, one entry [1/s].
class Langevin final : public ThermalKick {
 public:
  /// k_B T ≥ 0 [J]; γ ≥ 0 [1/s].
  Langevin(double thermal_energy, double rate, std::uint64_t seed);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  /// v ← e^{−γh} v + √((1 − e^{−2γh}) k_B T/m_i) ξ for every free particle.
  void kick(const Model&, double h, Index n, State&) const override;

 private:
  double thermal_energy_, rate_;  // initial rate; `Model::values()` has the current one
  CounterNoise noise_;
  Index block_ = 0;
};

}  // namespace pithball::sim
