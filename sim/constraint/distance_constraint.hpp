#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/core/settings.hpp"
#include "sim/core/topology.hpp"

namespace pithball::sim {

/// Links with length: C = |b| − l, b = x_i − x_j; rigid rods with α = 0, otherwise springs of stiffness 1/α with
/// dampers β. Values, one for every link: `distance_length` l [m], `distance_compliance` α [m/N] and `distance_damping`
/// β [N s/m]. The tension of a link is −λ/Δt² [N]; a link with a maximum tension breaks where it is exceeded.
class DistanceConstraint final
    : public ConstraintWith<CompliantRows, BreakableRows, DifferentiableRows, NamedParticles> {
 public:
  /// One entry of each vector per link; without `max_tension` [N] links never break. Throws InvalidArgument if sizes
  /// differ, both ends of a link are the same particle, or a maximum is not positive.
  DistanceConstraint(std::vector<Spring> links, Vector length, Vector compliance, Vector damping,
                     Vector max_tension = {});

  /// Reads `distance: {edges: …, rest_length: …, compliance: …, damping: …, max_tension: …}`; `drawn` [m] are the
  /// initial positions.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);

  const ConstraintTraits& traits() const override;
  /// Has the ability `BreakableRows` only with a maximum tension.
  ConstraintAbilities abilities() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const override;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const override;
  double compliance(const Model&, const ConstraintRow&) const override;  ///< α of the row's link [m/N]; 0: rigid
  double damping(const Model&, const ConstraintRow&) const override;     ///< β of the row's link [N s/m]
  /// l, α and β of the row's link; ∂C/∂l = −1.
  RowValues row_values(const Model&, const ConstraintRow&) const override;
  /// (I − b̂ b̂ᵀ)/|b| (d_i − d_j) for i, and minus that for j; 0 for a link whose ends are at the same point.
  RowPoints hessian_product(const Model&, const ConstraintRow&, const RowPoints& x, const RowPoints& d) const override;
  /// The same links between particles with new numbers; broken ones stay so.
  std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                             const std::vector<Index>& place) const override;
  double strength(const Model&, const ConstraintRow&) const override;  ///< maximum tension of the row's link [N]
  /// A copy in which these links, too, are broken; numbers of links stay.
  std::shared_ptr<Constraint> without(const std::vector<Index>& items) const override;

  const std::vector<Spring>& links() const { return links_; }  ///< all links, also broken ones
  Vector length(const Model&) const;                           ///< l [m]

 private:
  std::vector<Spring> links_;
  Vector length_, compliance_, damping_;  // initial values; `Model::values()` has the current ones
  Vector max_tension_;                    // [N], none if empty
  std::vector<bool> gone_;                // broken links
  Index length_block_ = 0, compliance_block_ = 0, damping_block_ = 0;
};

}  // namespace pithball::sim
