#pragma once
#include "sim/force/thermal_kick.hpp"

namespace pithball::sim {

/// Random kicks of a medium, the force of Langevin (1908) without its drag: Δv_i = √(2 c_i k_B T h)/m_i ξ at the end of
/// each step, ξ normal with variance 1 for each component. With linear drag of the same friction c the particles come
/// to the temperature T and spread by the diffusion constant D = k_B T/c (Einstein 1905). The kick comes at the end of
/// a step and knows nothing of the drag within it, so that velocities there are too hot: by (1 + hc/2m)² with
/// imex_midpoint, (1 + hc/m)²/(1 + hc/2m) with imex_euler; `Langevin` makes both at once and exactly. Value:
/// `brownian_friction` c [kg/s], one for each particle.
class Brownian final : public ThermalKick {
 public:
  /// k_B T ≥ 0 [J]; c ≥ 0 [kg/s], N entries.
  Brownian(double thermal_energy, Vector friction, std::uint64_t seed);

  /// Reads the settings below the key of this name in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void kick(const Model&, double h, Index n, State&) const override;

 private:
  double thermal_energy_;
  Vector friction_;  // as declared; afterwards the model's values count
  CounterNoise noise_;
  Index block_ = 0;
};

}  // namespace pithball::sim
