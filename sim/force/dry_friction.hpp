#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Dry friction against static surroundings, such as a bearing or a table (Coulomb 1785), smoothed at small speeds: F =
/// −f tanh(|v|/s) v/|v|. Value: `dry_friction` f [N], one for each particle. The speed s [m/s] is a setting, not a
/// value: well above s the force is f at any speed; below it F ≈ −(f/s) v, so that nothing sticks permanently and
/// derivatives exist. Explicit; splitting integrators use its exact flow, sinh(|v′|/s) = e^{−f h/(m s)} sinh(|v|/s).
class DryFriction final : public ForceWith<Dissipation, VelocityFlow> {
 public:
  /// f ≥ 0 [N], N entries; s > 0 [m/s].
  DryFriction(Vector strength, double stiction_velocity);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// R = Σ_i f s ln cosh(|v_i|/s) [W].
  double dissipation(const Model&, const State&) const override;
  /// A diagonal block for each particle: −scale f/s · 1/cosh²(|v|/s) along v, −scale f tanh(|v|/s)/|v| across.
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// Shortens each velocity and keeps its direction; a particle at rest stays so.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// h F at the state's velocities: `add_steady_impulse`.
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  /// Includes changes of f and of the masses; positions have no effect.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// Also with respect to f and the masses; positions have no effect.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;

 private:
  Vector strength_;  // initial values; `Model::values()` has the current ones
  double s_;
  Index block_ = 0;
};

}  // namespace pithball::sim
