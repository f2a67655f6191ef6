#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/obstacle.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Something that rests and pushes particles out of itself, like a spring that cannot pull: with the signed distance
/// s(x) of each of its walls, n = ∇s and the depth d = r − s(x) > 0 of a particle of radius r,
///   U = Σ k/2 d²,   F = k d n.
/// A particle of weight w rests on it at the depth w/k. The force bends where a particle touches, so that its
/// derivatives are those on one side. Implicit in the IMEX integrators. Values, `NAME` being plane_penalty,
/// sphere_penalty or box_penalty: `NAME_radius` r ≥ 0 [m], one for each particle, and `NAME_stiffness` k ≥ 0 [N/m].
/// `ObstacleDamper` adds the loss.
class ObstaclePenalty final : public ForceWith<StiffPotential> {
 public:
  /// name: that of the force, "plane_penalty". r: N entries.
  ObstaclePenalty(const std::string& name, std::shared_ptr<const Obstacle> obstacle, Vector radius, double stiffness);

  /// Read the settings below the key of this name in the list `forces:`; with a damping, they make the damper too.
  static std::vector<std::shared_ptr<ForceTerm>> make_plane(Settings&);
  static std::vector<std::shared_ptr<ForceTerm>> make_sphere(Settings&);
  static std::vector<std::shared_ptr<ForceTerm>> make_box(Settings&);

  const ForceTraits& traits() const override { return traits_; }
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

  /// A particle in a wall.
  struct Contact {
    Index i, wall;
    double depth;  ///< d > 0 [m]
    Vec3 normal;   ///< n
  };
  /// Calls body(contact) for each, particles ascending.
  template <class Body>
  void for_each_contact(const Model& model, const Points& x, Body body) const;
  Index walls() const { return obstacle_->walls(); }
  /// ∂n/∂x there [1/m].
  Mat3 curvature(const Contact& at, const Points& x) const { return obstacle_->curvature(at.wall, x.col(at.i)); }

 private:
  /// −∂F/∂x = k (n nᵀ − d ∂n/∂x) at a contact; with `definite`, without what is negative of it.
  Mat3 hessian(const Contact& at, const Points& x, double k, bool definite) const;

  ForceTraits traits_;
  std::shared_ptr<const Obstacle> obstacle_;
  Vector radius_;     // as declared; afterwards the model's values count
  double stiffness_;  // likewise
  Index radius_block_ = 0, stiffness_block_ = 0;
};

}  // namespace pithball::sim
