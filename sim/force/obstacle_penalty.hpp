#pragma once
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"
#include "sim/force/force_term.hpp"
#include "sim/kernel/smoothed_depth.hpp"

namespace pithball::sim {

/// A static obstacle that repels particles, like a spring that cannot pull: with the signed distance s(x) of each of
/// its walls, n = ∇s and the depth d = r − s(x) > 0 of a particle with radius r,
///   U = Σ k/2 d²,   F = k d n.
/// A particle of weight w rests on it at the depth w/k. The force has a kink where contact begins, so that derivatives
/// of a motion in steps are those of a saw-tooth; with a smoothing, d is `kernel::smoothed_depth`, and without one a
/// step can end there (`MeetsObstacle`). Implicit in the IMEX integrators. Values, with `NAME` being plane_penalty,
/// sphere_penalty or box_penalty: `NAME_radius` r ≥ 0 [m], one for each particle, and `NAME_stiffness` k ≥ 0 [N/m].
/// `ObstacleDamper` adds dissipation.
class ObstaclePenalty final : public ForceWith<StiffPotential, BeginsAtTouch, MeetsObstacle> {
 public:
  /// name: that of the force, "plane_penalty". r: N entries. smoothing ≥ 0 [m]: half the way over which it begins.
  ObstaclePenalty(const std::string& name, std::shared_ptr<const Obstacle> obstacle, Vector radius, double stiffness,
                  double smoothing = 0);

  /// Read their settings in the list `forces:`; with a damping, also create the damper.
  static std::vector<std::shared_ptr<ForceTerm>> make_plane(Settings&);
  /// Likewise, for a sphere.
  static std::vector<std::shared_ptr<ForceTerm>> make_sphere(Settings&);
  /// Likewise, for a box.
  static std::vector<std::shared_ptr<ForceTerm>> make_box(Settings&);

  const ForceTraits& traits() const override { return traits_; }
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// The time in which a particle reaches and crosses an obstacle that has another side.
  double time_to_touch(const Model&, const State&, const Points& a) const override;
  /// A diagonal block for each contact; `definite`: without the curvature of a convex wall.
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// A weight scale · k, with a smoothing scale · 1.2 k, at every particle, in contact or not.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Adds k d |∂n/∂x| at each contact with a convex wall, in the Frobenius norm.
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

  /// Its own name.
  const std::string& touching_force() const override { return traits_.name; }
  /// Each is a touch of a particle and the obstacle.
  void for_each_touch(const Model&, const State&, const TouchVisitor& visit) const override;
  std::optional<Passage> find_passage(const Model&, const Flight&) const override;  ///< through the obstacle

  /// Visits the gap of each free particle and each wall; none with a smoothing.
  void for_each_gap(const Model&, const State&, const GapVisitor& visit) const override;
  /// δr − n·δx.
  double depth_jvp(const Model&, const State&, const WallGap&, const Variation& d) const override;
  /// Adds to g.x and to the radii.
  void add_depth_vjp(const Model&, const State&, const WallGap&, double w, Variation& g) const override;
  /// For particles that touch, F = k d n also where d < 0.
  std::shared_ptr<ForceTerm> holding(const Model& model, const State& s) const override { return held_at(model, s.x); }
  /// The force that `holding` returns, at positions x.
  std::shared_ptr<ObstaclePenalty> held_at(const Model& model, const Points& x) const;

  /// A particle in contact with a wall.
  struct Contact {
    Index i,                          ///< the particle
        wall;                         ///< of the obstacle, that it touches
    kernel::SmoothedDepth<double> d;  ///< its depth
    Vec3 normal;                      ///< n
  };
  /// Calls body(contact) for each, in ascending order of particles.
  template <class Body>
  void for_each_contact(const Model& model, const Points& x, Body body) const;
  /// The block of the radii among the values of a model.
  Index radius_block() const { return radius_block_; }
  /// Number of walls of the obstacle, each with contacts of its own.
  Index walls() const { return obstacle_->walls(); }
  /// The contact as a `Touch`, for checks of which forces begin at one.
  Touch touch(const Model&, const State&, const Contact& at) const;
  /// ∂n/∂x there [1/m].
  Mat3 curvature(const Contact& at, const Points& x) const { return obstacle_->curvature(at.wall, x.col(at.i)); }

 private:
  /// −∂F/∂x = k ((d d′)′ n nᵀ − d d′ ∂n/∂x) at a contact; with `definite`, without its negative part.
  Mat3 hessian(const Contact& at, const Points& x, double k, bool definite) const;
  /// Calls body(particle, wall, depth, normal) for all, in contact or not.
  template <class Body>
  void for_each_depth(const Model& model, const Points& x, Body body) const;

  ForceTraits traits_;
  std::shared_ptr<const Obstacle> obstacle_;
  Vector radius_;     // initial values; `Model::values()` has the current ones
  double stiffness_;  // likewise
  double smoothing_;
  Index radius_block_ = 0, stiffness_block_ = 0;
  std::shared_ptr<const std::vector<bool>>
      held_;  // touches, of particle i with wall w at i · walls + w; null: as found
};

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
  /// That of the penalty force.
  const std::string& touching_force() const override { return obstacle_->touching_force(); }
  /// Those of the penalty force, with the force of the damper, which jumps.
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
  /// The same damper with the touches of the penalty force held.
  std::shared_ptr<ForceTerm> holding(const Model&, const State&) const override;

 private:
  ForceTraits traits_;
  std::shared_ptr<const ObstaclePenalty> obstacle_;
  double damping_, tangential_damping_;  // initial values; `Model::values()` has the current ones
  Index block_ = 0, tangential_block_ = 0;
};

}  // namespace pithball::sim
