#pragma once
#include "sim/force/thermal_kick.hpp"

namespace pithball::sim {

/// Langevin thermostat: friction and random kicks that together maintain a temperature. Before and after the motion of
/// each step, for half its length h/2 each, the exact flow of m dv = −γ m v dt + √(2 γ m k_B T) dW over a time τ:
///   v ← e^{−γτ} v + √((1 − e^{−2γτ}) k_B T/m) ξ,   ξ normal with variance 1.
/// The motion between them is that of heavier particles (`HeavyModel`), so that they spread and drift as they must at
/// any γh: OVRVO (Sivak, Chodera and Crooks, J. Phys. Chem. B 118, 2014). In the limit γh → ∞ velocities are drawn
/// anew. Value: `langevin_friction_rate` γ, one entry [1/s].
class Langevin final : public ThermalKick {
 public:
  /// k_B T ≥ 0 [J]; γ ≥ 0 [1/s].
  Langevin(double thermal_energy, double rate, std::uint64_t seed);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  /// The flow over h [s] for every free particle.
  void kick(const Model&, double h, Index n, State&) const override;
  /// rate_i += γ [1/s].
  void add_friction_rate(const Model&, double t, Vector& rate) const override;
  /// A first-order step would make particles under a force drift wrongly, by up to a factor of two at γh ≫ 1.
  KickNeed need() const override { return KickNeed::SecondOrder; }
  /// k_B T, reached in 1/γ.
  std::optional<ThermalBath> bath(const Model&, double t) const override;

 private:
  double thermal_energy_, rate_;  // initial rate; `Model::values()` has the current one
  std::uint64_t seed_;
  CounterNoise noise_{0, 0};  // set by `declare`
  Index block_ = 0;
};

}  // namespace pithball::sim
