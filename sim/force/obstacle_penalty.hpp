#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// A static obstacle that repels particles, like a spring that cannot pull: with the signed distance s(x) of each of
/// its walls, n = ∇s and the depth d = r − s(x) > 0 of a particle with radius r,
///   U = Σ k/2 d²,   F = k d n.
/// A particle of weight w rests on it at the depth w/k. The force has a kink where contact begins; derivatives there
/// are one-sided. Implicit in the IMEX integrators. Values, with `NAME` being plane_penalty, sphere_penalty or
/// box_penalty: `NAME_radius` r ≥ 0 [m], one for each particle, and `NAME_stiffness` k ≥ 0 [N/m]. `ObstacleDamper` adds
/// dissipation.
class ObstaclePenalty final : public ForceWith<StiffPotential> {
 public:
  /// name: that of the force, "plane_penalty". r: N entries.
  ObstaclePenalty(const std::string& name, std::shared_ptr<const Obstacle> obstacle, Vector radius, double stiffness);

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
  /// A diagonal block for each contact; `definite`: without the curvature of a convex wall.
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// A weight scale · k at every particle, in contact or not.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Adds k d |∂n/∂x| at each contact with a convex wall, where the norm is Frobenius's.
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

  /// A particle in contact with a wall.
  struct Contact {
    Index i,       ///< the particle
        wall;      ///< of the obstacle, that it touches
    double depth;  ///< d > 0 [m]
    Vec3 normal;   ///< n
  };
  /// Calls body(contact) for each, in ascending order of particles.
  template <class Body>
  void for_each_contact(const Model& model, const Points& x, Body body) const;
  /// Number of walls of the obstacle, each with contacts of its own.
  Index walls() const { return obstacle_->walls(); }
  /// ∂n/∂x there [1/m].
  Mat3 curvature(const Contact& at, const Points& x) const { return obstacle_->curvature(at.wall, x.col(at.i)); }

 private:
  /// −∂F/∂x = k (n nᵀ − d ∂n/∂x) at a contact; with `definite`, without its negative part.
  Mat3 hessian(const Contact& at, const Points& x, double k, bool definite) const;

  ForceTraits traits_;
  std::shared_ptr<const Obstacle> obstacle_;
  Vector radius_;     // initial values; `Model::values()` has the current ones
  double stiffness_;  // likewise
  Index radius_block_ = 0, stiffness_block_ = 0;
};

}  // namespace pithball::sim
