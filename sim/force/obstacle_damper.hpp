#pragma once
#include "sim/force/obstacle_penalty.hpp"

namespace pithball::sim {

/// Dampers between particles and an `ObstaclePenalty` while they are in contact:
///   F = −c (n·v) n − c_t (v − (n·v) n).
/// A particle leaves with the fraction exp(−πζ/√(1 − ζ²)) of its normal approach speed, ζ = c/(2 √(k m)) < 1; a
/// tangential force T makes it creep at T/c_t, as on a film of oil. The force is discontinuous where contacts begin and
/// end; derivatives are those between such events, or with the times of those at which steps end (`MeetsObstacle`).
/// With a smoothing, F is multiplied by `SmoothedDepth::share`. Linear in v and implicit in the IMEX integrators, which
/// determine the contacts before they solve; the fully implicit ones may not converge where a contact begins. Values:
/// `NAME_damping` c ≥ 0 and `NAME_tangential_damping` c_t ≥ 0 [N s/m], with `NAME` of the penalty force.
class ObstacleDamper final : public ForceWith<LinearDissipation, BeginsAtTouch, MeetsObstacle> {
 public:
  /// kind: "plane" for the damper of a plane_penalty.
  ObstacleDamper(const std::string& kind, std::shared_ptr<const ObstaclePenalty> obstacle, double damping,
                 double tangential_damping);

  const ForceTraits& traits() const override { return traits_; }
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// R = Σ over contacts of (c (n·v)² + c_t |v − (n·v) n|²)/2 [W].
  double dissipation(const Model&, const State&) const override;
  /// A diagonal block for each contact, −scale (c n nᵀ + c_t (I − n nᵀ)).
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// A weight at every particle, in contact or not: scale · max(c, c_t), and c_t more for each further wall, up to two,
  /// that it may touch.
  void add_damping_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Those of the penalty force, with the force of the damper.
  const std::string& touching_force() const override { return obstacle_->touching_force(); }
  /// Those of the penalty, with the force of the damper that jumps.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  /// None: the penalty force has them.
  void for_each_gap(const Model&, const State&, const GapVisitor&) const override {}
  /// That of the penalty force.
  double depth_jvp(const Model& model, const State& s, const WallGap& at, const Variation& d) const override {
    return obstacle_->depth_jvp(model, s, at, d);
  }
  /// That of the penalty force.
  void add_depth_vjp(const Model& model, const State& s, const WallGap& at, double w, Variation& g) const override {
    obstacle_->add_depth_vjp(model, s, at, w, g);
  }
  /// With the touches of the penalty force.
  std::shared_ptr<ForceTerm> holding(const Model&, const State&) const override;

 private:
  ForceTraits traits_;
  std::shared_ptr<const ObstaclePenalty> obstacle_;
  double damping_, tangential_damping_;  // initial values; `Model::values()` has the current ones
  Index block_ = 0, tangential_block_ = 0;
};

}  // namespace pithball::sim
