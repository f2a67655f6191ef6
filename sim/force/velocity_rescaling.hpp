#pragma once
#include "sim/force/thermal_kick.hpp"

namespace pithball::sim {

/// A thermostat that scales velocities: at the end of each step v ← λ v with λ² = 1 + (1 − e^{−h/τ}) (T₀/T − 1), so
/// that the kinetic energy approaches that of T₀ with the time constant τ, or instantly for τ = 0 (Berendsen et al., J.
/// Chem. Phys. 81, 1984, Eq. 11, there to first order in h/τ). k_B T = 2 E_kin/(3 n) over the n free particles. It does
/// not sample a canonical ensemble; `langevin` does.
class VelocityRescaling final : public ThermalKick {
 public:
  /// k_B T₀ ≥ 0 [J]; τ ≥ 0 [s].
  VelocityRescaling(double thermal_energy, double time_constant)
      : thermal_energy_(thermal_energy), time_constant_(time_constant) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  /// Scales the velocities of all free particles by λ; nothing happens if none moves.
  void kick(const Model&, double h, Index n, State&) const override;

 private:
  double thermal_energy_, time_constant_;
};

}  // namespace pithball::sim
