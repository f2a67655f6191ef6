#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Dry friction with what rests, as of a bearing or a table (Coulomb 1785), smoothed at small speeds:
/// F = −f tanh(|v|/s) v/|v|. Value: `dry_friction` f [N], one for each particle. The speed s [m/s] is a choice, not a
/// value: well above s the force is f whatever the speed, below it F ≈ −(f/s) v, so that nothing sticks for ever and
/// derivatives exist. Explicit; integrators made of kicks use its exact flow, sinh(|v′|/s) = e^{−f h/(m s)}
/// sinh(|v|/s).
class DryFriction final : public ForceWith<Dissipation, VelocityFlow> {
 public:
  /// f ≥ 0 [N], N entries; s > 0 [m/s].
  DryFriction(Vector strength, double stiction_velocity);

  /// Reads the settings below the key of this name in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  double dissipation(const Model&, const State&) const override;
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;

 private:
  Vector strength_;  // as declared; afterwards the model's values count
  double s_;
  Index block_ = 0;
};

}  // namespace pithball::sim
