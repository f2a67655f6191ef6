#pragma once
#include <variant>

#include "sim/force/fluid_pairs.hpp"
#include "sim/force/force_term.hpp"
#include "sim/kernel/equation_of_state.hpp"

namespace pithball::sim {

/// Reads `sph: {…}` in the list `forces:` and creates the pressure term and, if given, the viscosity term.
std::vector<std::shared_ptr<ForceTerm>> make_sph(Settings&);

/// The pressure of an SPH fluid: U = Σ_i m_i u(ρ_i) with ρ_i = Σ_j m_j W_ij, hence the symmetric force F_i = −m_i Σ_j
/// m_j (P_i/ρ_i² + P_j/ρ_j²) ∇W_ij (Gingold and Monaghan 1977; Monaghan, Rep. Prog. Phys. 68, 2005, Eq. 3.3), which is
/// the exact gradient of U and conserves momentum and angular momentum. Held particles are part of the fluid: layers of
/// them form its walls (Crespo, Gómez-Gesteira, Dalrymple 2007).
class SphPressure final : public ForceTerm {
 public:
  /// P(ρ) and u(ρ): Tait's for a liquid, a polytrope for a gas.
  using EquationOfState = std::variant<kernel::Tait, kernel::Polytropic>;

  /// The pairs of the fluid, and its equation of state.
  SphPressure(FluidPairs pairs, EquationOfState state) : pairs_(std::move(pairs)), equation_(state) {}

  const ForceTraits& traits() const override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}
  std::optional<double> energy(const Model&, const State&) const override;
  /// Time in which sound and the fastest particle cross a smoothing length: h/(c + |v|) (Monaghan 2005, section 5).
  double shortest_time(const Model&, const State&, const Points& a) const override;

 private:
  FluidPairs pairs_;
  EquationOfState equation_;
};

}  // namespace pithball::sim
