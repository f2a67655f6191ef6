#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/contact_law.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// Particles as hard spheres: C = |b| − (r_i + r_j) ≥ 0 for every pair, b = x_i − x_j. Values: `spheres_radius` r [m],
/// one for each particle, where 0 means no contact; `spheres_restitution` and `spheres_friction`, one entry each.
class SphereContact final : public ConstraintWith<ContactRows> {
 public:
  /// r ≥ 0, N [m].
  SphereContact(Vector radius, const ContactLaw& law);

  /// Reads `spheres: {radius: …, restitution: …, friction: …}`.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);

  const ConstraintTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const override;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const override;
  /// The law of all spheres, with the radius of the row's first particle.
  ContactLaw contact_law(const Model&, const ConstraintRow&) const override;
  RowLoops loops() const override;
  std::optional<Passage> find_passage(const Model&, const Flight&) const override;  ///< through another sphere

  /// The rows with the values of a model, looked up once (`LoopsOf`).
  struct RowsAt {
    const double* radius;   ///< N [m]
    ContactLaw of_spheres;  ///< law of all spheres, without a radius
    /// C(x) of a row [m], and ∂C/∂x.
    double evaluate(const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const;
    /// `of_spheres`, with the radius of the row's first particle.
    ContactLaw contact_law(const ConstraintRow&) const;
  };
  /// The rows with the values of a model; they point to these values.
  RowsAt rows_at(const Model&) const;

 private:
  Vector radius_;  // initial values; `Model::values()` has the current ones
  ContactValues contact_;
  double skin_;  // [m]
  std::shared_ptr<const NeighborSearch> search_;
  Index radius_block_ = 0;
};

// Inline for the loops: the compiler does not inline other functions there.

inline double SphereContact::RowsAt::evaluate(const ConstraintRow& row, const RowPoints& x, RowPoints& gradient) const {
  const Vec3 b = x.col(0) - x.col(1);
  const double l = b.norm();
  gradient.col(0) = l > 0 ? Vec3((1 / l) * b) : Vec3::Zero();
  gradient.col(1) = -gradient.col(0);
  return l - (radius[row.particles[0]] + radius[row.particles[1]]);
}

inline ContactLaw SphereContact::RowsAt::contact_law(const ConstraintRow& row) const {
  return {of_spheres.restitution, of_spheres.friction, of_spheres.slip, radius[row.particles[0]]};
}

}  // namespace pithball::sim
