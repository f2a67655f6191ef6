#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/field_memory.hpp"
#include "sim/field/vector_field.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// A given potential φ(x, t) for all particles: U = s Σ_i w_i φ(x_i, t), F_i = −s w_i ∇φ. The weight w_i is 1 (φ in J),
/// the particle's mass (φ in J/kg) or its charge (φ in V). Value: a factor s, initially 1, called `field_potential`,
/// `gravity_potential` or `electric_potential` according to the weight.
///
/// The potential is an expression in the experiment, or any `PotentialField` passed by a program.
class FieldPotential final : public ForceWith<ActsOnTestCharge> {
 public:
  /// What φ is multiplied by for each particle: nothing (φ in J), its mass (φ in J/kg) or its charge (φ in V).
  enum class Weight { None, Mass, Charge };

  /// `potential` is not null; its unit follows from the weight.
  explicit FieldPotential(std::shared_ptr<const PotentialField> potential, Weight weight = Weight::None)
      : potential_(std::move(potential)), memory_(potential_), weight_(weight) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  /// Acts on a test charge only if the weight is the charge.
  ForceAbilities abilities() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void validate(const Model&, const State&) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  bool changes_between(double from, double to) const override { return potential_->changes_between(from, to); }
  void add_course(double from, double to, TimeCourse& c) const override { potential_->add_course(from, to, c); }
  /// External: the field is prescribed.
  FieldOrigin field_origin() const override { return FieldOrigin::External; }
  /// s φ(y, t) at y, and its negative gradient; for weights that are the charges.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;

 private:
  /// w, N.
  Vector weights(const Model&) const;
  /// The block of values used as weights; empty: the weights are 1.
  std::optional<Index> weight_block() const;

  std::shared_ptr<const PotentialField> potential_;
  FieldMemory memory_;
  Weight weight_;
  Index block_ = 0;
};

}  // namespace pithball::sim
