#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::sim {

/// A uniform electric field that is switched, as by the voltage of two plates: F = q g(t) e with
///    g(t) = f₀ + Σ_k (f_k − f_{k−1}) S((t − t_k)/ϑ + ½),
/// the smooth step S of `kernel::smooth_step`. Between the switches g is f_k; about t_k it changes within the rise ϑ,
/// so that the motion has a derivative with respect to t_k, and outside of it moves as if g jumped at t_k. Values:
/// `electric_field` e [V/m], the factors `switch_factor` f₀ … f_K, the times `switch_time` t₁ … t_K [s], and
/// `switch_rise` ϑ [s].
class SwitchedField final : public ForceWith<ActsOnTestCharge>, public DriftsFreely {
 public:
  /// The course of the factor g.
  struct Course {
    Vector factors;   ///< f, K + 1
    Vector times;     ///< t_k [s], K
    double rise = 0;  ///< ϑ > 0 [s]
  };
  /// e [V/m]. Throws InvalidArgument unless there is one factor more than times, and the times are at least one rise
  /// apart.
  SwitchedField(const Vec3& field, Course course);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void add_course(double, double, TimeCourse& course) const override { course.varies = true; }
  /// What is prescribed.
  FieldOrigin field_origin() const override { return FieldOrigin::External; }
  /// g(t) e everywhere; its potential changes with time and is not given.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;

  double factor(const Model&, double t) const;  ///< g at t [s]

 private:
  /// Calls visit(k, u, f_k − f_{k−1}) with u = (t − t_k)/ϑ + ½ for every switch; k counts from 0.
  template <class Visit>
  void for_each_switch(const Values&, double t, Visit visit) const;

  Vec3 field_;     // initial values; `Model::values()` has the current ones
  Course course_;  // likewise
  Index field_block_ = 0, factor_block_ = 0, time_block_ = 0, rise_block_ = 0;
};

/// Reads `electric_field: {switched: {field: […], factors: […], times: […], rise: …}}` in the list `forces:`.
std::shared_ptr<ForceTerm> make_switched_field(Settings&);

/// Number of time steps in a rise that resolve it: to them the motion changes with a switch time by what its derivative
/// says, to 1 %, wherever the time lies in a step.
inline constexpr double steps_of_a_rise = 4;

/// Throws InvalidArgument if the shortest `switch_rise` of a model is not resolved by this time step [s].
void require_resolved_rise(const Values& values, double time_step);

}  // namespace pithball::sim
