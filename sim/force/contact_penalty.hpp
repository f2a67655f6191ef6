#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/linear_flow.hpp"
#include "sim/kernel/smoothed_depth.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// Repulsion between overlapping spheres, like springs that cannot pull: with r = |x_i − x_j| and the penetration depth
/// d = a_i + a_j − r > 0,
///   U = Σ k/2 d²,   force on i: k d (x_i − x_j)/r   (Cundall and Strack, Géotechnique 29, 1979, without friction).
/// With a smoothing, d is `kernel::smoothed_depth` of it, which leaves no kink where contact begins; points do not
/// meet. Values: `contact_radius` a ≥ 0 [m], one for each particle (with radius 0 a point that interacts with other
/// spheres), and `contact_stiffness` k ≥ 0 [N/m]. `ContactDamper` adds dissipation.
class ContactPenalty final : public ForceWith<BeginsAtTouch> {
 public:
  /// Initial radii a ≥ 0 [m], N entries, and stiffness k ≥ 0 [N/m]; `search` finds the pairs and is not null. smoothing
  /// ≥ 0 [m]: half the way over which a contact begins.
  ContactPenalty(Vector radius, double stiffness, std::shared_ptr<const NeighborSearch> search, double smoothing = 0)
      : radius_(std::move(radius)), stiffness_(stiffness), smoothing_(smoothing), search_(std::move(search)) {}

  /// Reads its settings in the list `forces:`; with a damping, also creates the damper.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;

  /// The time until two spheres touch, or the time scale of a contact between the lightest ones, √(m/2k), if that is
  /// longer.
  double shortest_time(const Model&, const State&, const Points& a) const override;
  /// The time until two centers meet, or one crosses the smallest sphere.
  double time_to_touch(const Model&, const State&, const Points& a) const override;

  /// Its own name.
  const std::string& touching_force() const override { return traits().name; }
  /// Each is a touch of two spheres.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  std::optional<Passage> find_passage(const Model&, const Flight&) const override;  ///< through another sphere

  /// Two spheres in contact.
  struct Contact {
    Index i,                          ///< one particle
        j;                            ///< the other, i < j
    Vec3 b;                           ///< x_i − x_j [m]
    double distance;                  ///< r = |b| [m]
    double reach;                     ///< r + d d′; a_i + a_j where that is not smoothed [m]
    kernel::SmoothedDepth<double> d;  ///< its depth
  };
  /// Calls body(contact) for each, i < j, in an order that depends only on the positions.
  template <class Body>
  void for_each_contact(const Model& model, const Points& x, Body body) const;
  /// The contact as a `Touch`, for checks of which forces begin at one.
  Touch touch(const Model&, const State&, const Contact& at) const;
  /// The block of the radii among the values of a model.
  Index radius_block() const { return radius_block_; }

 private:
  Vector radius_;     // initial values; `Model::values()` has the current ones
  double stiffness_;  // likewise
  double smoothing_;
  std::shared_ptr<const NeighborSearch> search_;
  Index radius_block_ = 0, stiffness_block_ = 0;
};

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
  /// That of the penalty force.
  const std::string& touching_force() const override { return spheres_->touching_force(); }
  /// Those of the penalty force, with the force of the damper, which jumps.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  /// Derivative of the flow at fixed contacts: `LinearFlow::jvp`.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// Derivative of the flow at fixed contacts: `LinearFlow::vjp`.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;

 private:
  /// The flow over the time h [s], with an upper bound of its rates.
  LinearFlow flow(const Model&, const State&, double h) const;

  std::shared_ptr<const ContactPenalty> spheres_;
  double damping_;  // initial value; `Model::values()` has the current one
  Index block_ = 0;
};

}  // namespace pithball::sim
