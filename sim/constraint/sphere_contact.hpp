#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/contact_law.hpp"

namespace pithball::sim {

/// Particles as hard spheres: C = |b| − (r_i + r_j) ≥ 0 for every pair, b = x_i − x_j. Values: `spheres_radius` r [m],
/// one for each particle, where 0 takes no part; `spheres_restitution` and `spheres_friction`, one entry each.
class SphereContact final : public Constraint {
 public:
  /// r ≥ 0, N [m].
  SphereContact(Vector radius, const ContactLaw& law);

  /// Reads `spheres: {radius: …, restitution: …, friction: …}`.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);

  const ConstraintTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const override;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const override;
  ContactLaw contact_law(const Model&, const ConstraintRow&) const override;

 private:
  Vector radius_;  // as declared; afterwards the model's values count
  ContactValues contact_;
  Index radius_block_ = 0;
};

}  // namespace pithball::sim
