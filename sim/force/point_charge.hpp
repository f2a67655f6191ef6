#pragma once
#include "sim/core/settings.hpp"
#include "sim/field/path.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// An external charge Q at a fixed point or on a given path X(t): F_i = k_c q_i Q r/|r|³ with r = x_i − X(t), U = Σ k_c
/// q_i Q/|r|. Values: `point_charge` Q [C] and `point_charge_position`: X [m] of a fixed point; for a path, its
/// displacement, initially 0.
class PointCharge final : public ForceWith<ActsOnTestCharge> {
 public:
  /// Q [C] of any sign, and X(t) [m], which may be a fixed point.
  PointCharge(double charge, Path path) : charge_(charge), path_(std::move(path)) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  double charge(const Model&) const;            ///< Q [C]
  Vec3 position(const Model&, double t) const;  ///< X(t) [m]
  bool moves() const { return path_.moves(); }  ///< whether it follows a path
  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void validate(const Model&, const State&) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;  ///< closest approach to X
  bool changes_between(double from, double to) const override {
    return path_.position(from) != path_.position(to) || path_.velocity(from) != path_.velocity(to);
  }
  void add_course(double from, double to, TimeCourse& course) const override { path_.add_course(from, to, course); }
  /// External: the field is prescribed.
  FieldOrigin field_origin() const override { return FieldOrigin::External; }
  /// φ = k_c Q/|y − X(t)| at y and its negative gradient; NaN at X.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;
  /// X(t), if there is a charge Q ≠ 0.
  std::vector<Vec3> field_poles(const Model&, double t) const override;

 private:
  double charge_;  // initial value; `Model::values()` has the current one
  Path path_;
  Index block_ = 0, position_block_ = 0;
};

}  // namespace pithball::sim
