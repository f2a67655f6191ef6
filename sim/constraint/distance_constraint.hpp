#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/core/settings.hpp"
#include "sim/core/topology.hpp"

namespace pithball::sim {

/// Links of given length: C = |b| − l, b = x_i − x_j; rods with α = 0, springs of stiffness 1/α with dampers β
/// otherwise. Values, one of each for every link: `distance_length` l [m], `distance_compliance` α [m/N] and
/// `distance_damping` β [N s/m]. The tension of a link is −λ/Δt² [N]; one
/// with a maximum breaks where it is exceeded.
class DistanceConstraint final
    : public ConstraintWith<CompliantRows, BreakableRows, DifferentiableRows, NamedParticles> {
 public:
  /// One entry of each vector for every link; no `max_tension` [N] means that links hold whatever comes. Throws
  /// InvalidArgument if sizes differ, a link has one particle only or a maximum is not positive.
  DistanceConstraint(std::vector<Spring> links, Vector length, Vector compliance, Vector damping,
                     Vector max_tension = {});

  /// Reads `distance: {edges: …, rest_length: …, compliance: …, damping: …, max_tension: …}`; `drawn` [m] are the
  /// initial positions.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);

  const ConstraintTraits& traits() const override;
  /// Its links are `BreakableRows` only with a maximum of their tension.
  ConstraintAbilities abilities() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const override;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const override;
  double compliance(const Model&, const ConstraintRow&) const override;
  double damping(const Model&, const ConstraintRow&) const override;
  RowValues row_values(const Model&, const ConstraintRow&) const override;
  RowPoints hessian_product(const Model&, const ConstraintRow&, const RowPoints& x, const RowPoints& d) const override;
  std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                             const std::vector<Index>& place) const override;
  double strength(const Model&, const ConstraintRow&) const override;
  std::shared_ptr<Constraint> without(const std::vector<Index>& items) const override;

  const std::vector<Spring>& links() const { return links_; }
  Vector length(const Model&) const;  ///< l [m]

 private:
  std::vector<Spring> links_;
  Vector length_, compliance_, damping_;  // as declared; afterwards the model's values count
  Vector max_tension_;                    // [N], none if empty
  std::vector<bool> gone_;                // links that have broken
  Index length_block_ = 0, compliance_block_ = 0, damping_block_ = 0;
};

}  // namespace pithball::sim
