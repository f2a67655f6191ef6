#pragma once
#include "sim/force/contact_penalty.hpp"
#include "sim/force/linear_flow.hpp"

namespace pithball::sim {

/// Dampers between the spheres of a `ContactPenalty` while they are in contact: force on i −c ((v_i − v_j)·n) n with n
/// = (x_i − x_j)/r. Two spheres separate with the fraction e = exp(−πζ/√(1 − ζ²)) of their approach speed, with ζ =
/// c/(2 √(k m)) and the reduced mass m = m_i m_j/(m_i + m_j) (for ζ < 1, at the instant when the depth is 0 again). The
/// force is discontinuous where contacts begin and end; derivatives are those between such events. With a smoothing,
/// it is multiplied by `SmoothedDepth::share`. Value:
/// `contact_damping` c ≥ 0 [N s/m].
class ContactDamper final : public ForceWith<VelocityFlow, BeginsAtTouch> {
 public:
  /// `spheres` is not null, and its values must be declared first. c ≥ 0 [N s/m].
  ContactDamper(std::shared_ptr<const ContactPenalty> spheres, double damping)
      : spheres_(std::move(spheres)), damping_(damping) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// Advances v by the linear flow of all contacts at the state's positions.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// ∫F dt of that flow, in which the velocities of free spheres change during h [N s].
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  /// Those of the penalty force, with the force of the damper.
  const std::string& touching_force() const override { return spheres_->touching_force(); }
  /// Those of the penalty, with the force of the damper that jumps.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  /// Of the flow at fixed contacts: `LinearFlow::jvp`.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// Of the flow at fixed contacts: `LinearFlow::vjp`.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;

 private:
  /// The flow over the time h [s], with an upper bound of its rates.
  LinearFlow flow(const Model&, const State&, double h) const;

  std::shared_ptr<const ContactPenalty> spheres_;
  double damping_;  // initial value; `Model::values()` has the current one
  Index block_ = 0;
};

}  // namespace pithball::sim
