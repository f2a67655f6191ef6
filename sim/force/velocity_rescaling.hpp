#pragma once
#include "sim/force/thermal_kick.hpp"

namespace pithball::sim {

/// A thermostat that scales velocities: before and after the motion of each step, for half its length each, v ← u +
/// λ (v − u) with λ² = 1 + (1 − e^{−h/τ}) (T₀/T − 1), so that the heat approaches that of T₀ with the time constant τ,
/// or instantly for τ = 0 (Berendsen et al., J. Chem. Phys. 81, 1984, Eq. 11, there to first order in h/τ). u is the
/// velocity of the center of mass, so that a flying body keeps its flight: k_B T = Σ m |v − u|²/(3 n − 3) over the n
/// free particles. If one is held, or n = 1, there is no flight to keep: u = 0, and k_B T = Σ m v²/(3 n). A rotation
/// counts as heat. It does not sample a canonical ensemble; `langevin` does.
class VelocityRescaling final : public ThermalKick {
 public:
  /// k_B T₀ ≥ 0 [J]; τ ≥ 0 [s].
  VelocityRescaling(double thermal_energy, double time_constant)
      : thermal_energy_(thermal_energy), time_constant_(time_constant) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  /// Scales the velocities of all free particles; nothing happens if none moves.
  void kick(const Model&, double h, Index n, State&) const override;
  /// k_B T₀, approached in τ.
  std::optional<ThermalBath> bath(const Model&, double t) const override;

 private:
  /// Degrees of freedom of the motion that counts as heat.
  static Index freedoms(const Model&);

  double thermal_energy_, time_constant_;
};

}  // namespace pithball::sim
