#pragma once
#include <memory>

#include "sim/force/force_term.hpp"
#include "sim/model/models_in_time.hpp"

namespace pithball::sim {

/// A force of a model with key frames: the force given to it, which has declared its values already, read at each state
/// with the values of that state's time. Schemes ask every force at its own stage's time, so a step keeps its order
/// while values change, and derivatives are those of the step. The energy is that of the present values, whose change
/// does work on the body.
class KeyFramedForce final : public ForceTerm {
 public:
  /// models: shared by the forces of one model. Values are constant before the time `from` [s] and after `until`.
  KeyFramedForce(std::shared_ptr<ForceTerm> force, std::shared_ptr<ModelsInTime> models, double from, double until)
      : force_(std::move(force)), models_(std::move(models)), from_(from), until_(until) {}

  const ForceTraits& traits() const override { return force_->traits(); }
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  /// Also where only the values change with time: then it does not know which of them the force reads.
  bool changes_between(double from, double to) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;
  void kick(const Model&, double h, Index n, State&) const override;
  Index crossings() const override { return force_->crossings(); }
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  double dissipation(const Model&, const State&) const override;
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// With the largest values of all times: a bound for every one of them.
  void add_majoriser(const Model&, double position_scale, double velocity_scale, Majoriser&) const override;
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

 private:
  std::shared_ptr<ForceTerm> force_;
  std::shared_ptr<ModelsInTime> models_;
  double from_, until_;
};

}  // namespace pithball::sim
