#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Points held at positions p: three rows C_a = x_a − p_a for each, a spring 1/α in every direction; rigid with α = 0
/// (`system.pinned` does the same exactly). Values, one for each pin: `pin_compliance` α [m/N], `pin_damping` β [N
/// s/m].
class PinConstraint final : public ConstraintWith<CompliantRows, DifferentiableRows, NamedParticles> {
 public:
  /// Pin k holds particles[k] at places.col(k) [m]. Throws InvalidArgument if sizes differ.
  PinConstraint(std::vector<Index> particles, Points places, Vector compliance, Vector damping);

  /// Reads `pin: {vertices: […], compliance: …, damping: …}`; the positions are those in `drawn` [m], the initial
  /// positions.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);

  const ConstraintTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const override;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const override;
  double compliance(const Model&, const ConstraintRow&) const override;  ///< α of the row's pin [m/N]; 0: rigid
  double damping(const Model&, const ConstraintRow&) const override;     ///< β of the row's pin [N s/m]
  /// The same pins of particles with new numbers, at the same places.
  std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                             const std::vector<Index>& place) const override;
  /// α and β of the row's pin; C depends on no value.
  RowValues row_values(const Model&, const ConstraintRow&) const override;
  /// 0, because C is linear.
  RowPoints hessian_product(const Model&, const ConstraintRow&, const RowPoints&, const RowPoints&) const override {
    return RowPoints::Zero();
  }

 private:
  std::vector<Index> particles_;
  Points places_;
  Vector compliance_, damping_;  // initial values; `Model::values()` has the current ones
  Index compliance_block_ = 0, damping_block_ = 0;
};

}  // namespace pithball::sim
