#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/field_memory.hpp"
#include "sim/field/vector_field.hpp"
#include "sim/force/felt_particles.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// A magnetic field B(x, t): F = q v × B, the Lorentz force (1895) without its electric part. It does no work. Value:
/// `magnetic_field`, the three components [T] of a uniform field, otherwise a dimensionless factor, initially 1, of the
/// given field. A field that changes with time has no electric field of its own here: no induction. Explicit; splitting
/// integrators use its exact flow, the rotation of v by −(q h/m) B, which preserves the speed.
class MagneticField final : public ForceWith<VelocityFlow> {
 public:
  /// B [T].
  explicit MagneticField(std::shared_ptr<const VectorField> field) : field_(std::move(field)), memory_(field_) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_course(double from, double to, TimeCourse& course) const override { field_->add_course(from, to, course); }
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// Rotates v of each charged particle by −(q h/m) B at the state's positions and time.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// h q v × B at the state's velocities: `add_steady_impulse`.
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  /// Also in the direction of changes of the field's value, the charges, the masses and the positions.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// Also with respect to the field's value, the charges (even those that are 0), the masses and the positions.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;

 private:
  bool uniform() const { return field_->uniform_value().has_value(); }
  struct Induction {
    Points B, dB;  // with its change in a direction
  };
  // At the positions of `at`, one column for each: B, the same with δB, and the transpose of the latter for a = ∂L/∂B.
  Points induction(const Model&, const FeltParticles& at, double t) const;
  Induction induction_jvp(const Model&, const FeltParticles& at, double t, const Variation& d) const;
  void add_induction_vjp(const Model&, const FeltParticles& at, double t, const Points& a, Variation& g) const;

  std::shared_ptr<const VectorField> field_;
  FieldMemory memory_;
  Index block_ = 0;
};

}  // namespace pithball::sim
