#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// A grounded conducting plane, by image charges: behind it every charge q_j at x_j has the image −a q_j at the
/// mirrored point x_j', and each charge feels the images of all, including its own,
///   U = −½ Σ_ij a k_c q_i q_j/|x_i − x_j'|,   F_i = −a k_c q_i Σ_j q_j (x_i − x_j')/|x_i − x_j'|³.
/// A single charge at the distance h is attracted with k_c q²/(4h²). Value: `image_plane_strength` a, 1 for a
/// conductor, (ε − 1)/(ε + 1) for a half-space of relative permittivity ε; and the model's charges [C]. External
/// charges and fields have no image. The force is not finite for charges on or behind the plane. A direct sum.
class ImagePlane final : public ForceWith<ActsOnTestCharge> {
 public:
  /// A point of the plane [m], and its normal of any length on the side of the charges.
  ImagePlane(const Vec3& point, const Vec3& normal, double strength = 1)
      : point_(point), normal_(normal.normalized()), strength_(strength) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  /// Planes of strength 0 on each side of a box low … high [m], at 0.05, 0.1, 0.2, 0.4 and 0.8 of its diagonal from it:
  /// a grid on which a diagnosis looks for a plane.
  static std::vector<std::string> idle_places(const Vec3& low, const Vec3& high);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;  ///< approach of the plane
  /// The images of the particles' charges.
  FieldOrigin field_origin() const override { return FieldOrigin::Images; }
  /// φ = −a Σ_j k_c q_j/|y − x_j'| at y and its negative gradient. On the plane of a conductor, φ of the charges and
  /// their images is 0. NaN behind the plane, and everywhere if a charge is on or behind it.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;

 private:
  /// df += the changes of F for changes dx (P×3N), dq (P×N), and of the strength (P).
  void add_changes(const Model&, const State&, const Panel& dx, const Eigen::Ref<const Panel>& dq, const Vector& by,
                   Panel& df) const;
  double height(const Vec3& x) const { return normal_.dot(x - point_); }
  /// The first charge on or behind the plane; −1: none.
  Index behind(const Vector& charge, const Points& x) const;

  Vec3 point_, normal_;
  double strength_;  // initial value; `Model::values()` has the current one
  Index block_ = 0;
};

}  // namespace pithball::sim
