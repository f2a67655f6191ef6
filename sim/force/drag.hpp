#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/field_memory.hpp"
#include "sim/field/vector_field.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::sim {

/// Reads `drag: {linear: …, quadratic: …, wind: …}` in the list `forces:` and creates the terms with given
/// coefficients.
std::vector<std::shared_ptr<ForceTerm>> make_drag(Settings&);

/// Linear drag in a wind u(x, t): F = −c₁ (v − u). Value: `linear_drag` c₁ [kg/s], one for each particle. Implicit in
/// the IMEX integrators. A derived class may compute c₁ from other values.
class LinearDrag : public ForceWith<LinearDissipation>, public DriftsFreely {
 public:
  /// Initial c₁ ≥ 0 [kg/s], N entries; u(x, t) [m/s], not null.
  LinearDrag(Vector coefficient, std::shared_ptr<const VectorField> wind)
      : coefficient_(std::move(coefficient)), wind_(std::move(wind)), memory_(wind_) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_course(double from, double to, TimeCourse& course) const override { wind_->add_course(from, to, course); }
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// R = Σ_i c₁/2 |v_i − u|² [W].
  double dissipation(const Model&, const State&) const override;
  /// A diagonal block −scale c₁ I for each particle.
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// A weight scale c₁ at each particle, which is exact.
  void add_damping_majorizer(const Model&, double scale, Majorizer& L) const override;

  bool is_uniform() const override { return wind_->uniform_value().has_value(); }
  /// c₁.
  void add_drag_coefficient(const Model& model, Vector& c) const override { c += coefficient(model); }

  virtual Vector coefficient(const Model&) const;     ///< c₁ [kg/s], N
  const VectorField& wind() const { return *wind_; }  ///< u(x, t) [m/s]

 private:
  /// δc₁ for a change of the values.
  virtual Vector coefficient_jvp(const Model&, const Vector& dvalues) const;
  /// The transpose: adds ∂L/∂values for a = ∂L/∂c₁.
  virtual void add_coefficient_vjp(const Model&, const Vector& a, Vector& gvalues) const;

  Vector coefficient_;  // initial values; `Model::values()` has the current ones
  std::shared_ptr<const VectorField> wind_;
  FieldMemory memory_;  // of the wind
  Index block_ = 0;
};

/// Quadratic drag in a wind u(x, t): F = −c₂ |w| w with w = v − u. Value: `quadratic_drag` c₂ [kg/m], one for each
/// particle. Explicit; splitting integrators use its exact flow w ← w/(1 + (c₂/m)|w| h).
class QuadraticDrag final : public ForceWith<Dissipation, VelocityFlow> {
 public:
  /// Initial c₂ ≥ 0 [kg/m], N entries; u(x, t) [m/s], not null.
  QuadraticDrag(Vector coefficient, std::shared_ptr<const VectorField> wind)
      : coefficient_(std::move(coefficient)), wind_(std::move(wind)), memory_(wind_) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_course(double from, double to, TimeCourse& course) const override { wind_->add_course(from, to, course); }
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// R = Σ_i c₂/3 |v_i − u|³ [W].
  double dissipation(const Model&, const State&) const override;
  /// A diagonal block for each particle, −scale c₂ ∂(|w| w)/∂w.
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// v ← u + w/(1 + (c₂ h/m) |w|), with the wind at the state's positions and time.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// h F at the state's velocities: `add_steady_impulse`.
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  /// Also in the direction of changes of c₂, of the masses and, through the wind, of the positions.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// Also with respect to c₂, the masses and, through the wind, the positions.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;
  const VectorField& wind() const { return *wind_; }  ///< u(x, t) [m/s]

 private:
  Vector coefficient_;  // initial values; `Model::values()` has the current ones
  std::shared_ptr<const VectorField> wind_;
  FieldMemory memory_;  // of the wind
  Index block_ = 0;
};

}  // namespace pithball::sim
