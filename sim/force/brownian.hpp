#pragma once
#include "sim/force/thermal_kick.hpp"

namespace pithball::sim {

/// Random kicks from a medium, Langevin's force (1908) without its drag: Δv_i = √(2 c_i k_B T τ)/m_i ξ for the time τ =
/// h/2 before and after the motion of each step, ξ normal with variance 1 for each component. Together with linear drag
/// of the same coefficient c the particles reach the temperature T and diffuse with D = k_B T/c (Einstein 1905).
/// Because the kicks do not include the drag within a step, velocities are too hot: with g = hc/m by 1 + g²/4 with
/// imex_midpoint, by (1 + g + g²/2)/(1 + g/2) with imex_euler; `Langevin` combines both exactly. Value:
/// `brownian_friction` c [kg/s], one for each particle.
class Brownian final : public ThermalKick {
 public:
  /// k_B T ≥ 0 [J]; c ≥ 0 [kg/s], N entries.
  Brownian(double thermal_energy, Vector friction, std::uint64_t seed);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  /// Adds √(2 c_i k_B T h)/m_i ξ to the velocity of every free particle.
  void kick(const Model&, double h, Index n, State&) const override;
  /// If a step damps a kick before it moves the particle, positions spread too little.
  KickNeed need() const override { return KickNeed::PresentVelocities; }
  /// k_B T, reached within the largest m_i/c_i.
  std::optional<ThermalBath> bath(const Model&, double t) const override;

 private:
  double thermal_energy_;
  Vector friction_;  // initial values; `Model::values()` has the current ones
  std::uint64_t seed_;
  CounterNoise noise_{0, 0};  // set by `declare`
  Index block_ = 0;
};

}  // namespace pithball::sim
