#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/vector_in_time.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::sim {

/// A force F(t) applied to particles wherever they are: the same on each, or a total shared equally. Value:
/// `applied_force`, the three components [N] of a constant force, otherwise a dimensionless factor, initially 1, of the
/// given function of time. U = −Σ F_i·x_i of a constant one; others have no energy.
class AppliedForce final : public ForceTerm, public DriftsFreely {
 public:
  /// What F is the force on.
  enum class On { Each, Total };

  /// A constant force [N], of any sign.
  AppliedForce(On on, const Vec3& constant) : on_(on), initial_(constant) {}
  /// A force as a function of time [N], not null, times a factor that starts at 1.
  AppliedForce(On on, std::shared_ptr<const VectorInTime> in_time)
      : on_(on), initial_(Vector::Ones(1)), in_time_(std::move(in_time)) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_course(double, double, TimeCourse& course) const override {
    course.varies = course.varies || (in_time_ && in_time_->varies());
  }
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;

 private:
  /// The part of F on each particle.
  double share(const Model&) const;
  /// The force on each particle, which is linear in the value.
  Vec3 on_each(const Model&, double t, const Eigen::Ref<const Vector>& value) const;

  On on_;
  Vector initial_;                               // of the value; `Model::values()` has the current one
  std::shared_ptr<const VectorInTime> in_time_;  // null if constant
  Index block_ = 0;
};

}  // namespace pithball::sim
