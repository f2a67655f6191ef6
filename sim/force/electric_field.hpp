#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/field_memory.hpp"
#include "sim/field/vector_field.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::sim {

/// An external electric field e(x, t): F = q e. Value: `electric_field`, the three components [V/m] of a uniform field,
/// otherwise a dimensionless factor, initially 1, of the given field. U = −Σ q e·x for a uniform field, Σ q α φ(x, t)
/// for one with a potential (`TabulatedField`); others have no energy.
class ElectricField final : public ForceWith<ActsOnTestCharge>, public DriftsFreely {
 public:
  /// e(x, t) [V/m], not null; a `PotentialField` has an energy.
  explicit ElectricField(std::shared_ptr<const VectorField> field)
      : field_(std::move(field)), memory_(field_), potential_(dynamic_cast<const PotentialField*>(field_.get())) {}

  /// Reads its settings in the list `forces:`; `switched` makes a `SwitchedField`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void validate(const Model&, const State&) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  bool changes_between(double from, double to) const override {
    return potential_ && potential_->changes_between(from, to);
  }
  void add_course(double from, double to, TimeCourse& course) const override { field_->add_course(from, to, course); }
  bool is_uniform() const override { return uniform(); }
  /// What is prescribed.
  FieldOrigin field_origin() const override { return FieldOrigin::External; }
  /// e(y, t) at y. φ = −e·y for a uniform field, α φ(y, t) for one with a potential; others have none.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;

  std::optional<Vec3> uniform_value(const Model&) const;  ///< e [V/m] of a uniform field; empty otherwise

 private:
  bool uniform() const { return field_->uniform_value().has_value(); }
  std::shared_ptr<const VectorField> field_;
  FieldMemory memory_;
  const PotentialField* potential_;  // the same field if it has a potential, else null
  Index block_ = 0;
};

}  // namespace pithball::sim
