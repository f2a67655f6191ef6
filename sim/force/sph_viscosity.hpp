#pragma once
#include "sim/force/fluid_pairs.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// The viscosity of an SPH fluid: F_i = 2 (d + 2) μ Σ_j m_i m_j/(ρ_i ρ_j) (v_ij·r_ij)/(r_ij² + 0.01 h²) ∇W_ij in d
/// dimensions (Monaghan, Rep. Prog. Phys. 68, 2005, Eqs. 8.7 and 8.9; Cleary 1998), linear in v. It acts along the line
/// between two particles, so that it conserves momentum and angular momentum, and only dissipates energy. Value:
/// `sph_viscosity` μ, one entry [Pa s].
class SphViscosity final : public ForceWith<VelocityFlow> {
 public:
  /// μ ≥ 0 [Pa s].
  SphViscosity(FluidPairs pairs, double viscosity) : pairs_(std::move(pairs)), viscosity_(viscosity) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}
  /// Advances v by the linear flow of all pairs at the state's positions and densities.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// ∫F dt of that flow, in which the velocities of free particles change during h [N s].
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;

 private:
  FluidPairs pairs_;
  double viscosity_;  // initial value; `Model::values()` has the current one
  Index block_ = 0;
};

}  // namespace pithball::sim
