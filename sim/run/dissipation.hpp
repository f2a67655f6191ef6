#pragma once
#include "sim/run/simulator.hpp"

namespace pithball::sim {

/// The work that dampers and drag take out of a run [J], by the trapezoidal rule over its steps, and what kicks and
/// sinks take out (less than 0: kicks heat, emitters bring in); free for a model without them.
class Dissipation {
 public:
  /// Begins at the state, where `before` [J] have been taken out already.
  Dissipation(const Model& model, const State& start, double before = 0) : work_(before) {
    for (const auto& term : model.terms()) present_ = present_ || term->traits().velocity_dependent;
    if (present_) power_ = dissipated_power(model, start);
  }
  /// Adds a step of a model that ended at the state.
  void add_step(const Model& model, const State& end, const StepRecord& record) {
    work_ -= record.heat;
    if (!present_) return;
    const double h = record.h;
    const double now = dissipated_power(model, end);
    work_ += h / 2 * (power_ + now);
    power_ = now;
  }
  /// Goes on with another model and state, as after an event that brought in so much energy [J].
  void restart(const Model& model, const State& state, double supplied) {
    work_ -= supplied;
    if (present_) power_ = dissipated_power(model, state);
  }
  double work() const { return work_; }

 private:
  bool present_ = false;
  double work_, power_ = 0;
};

}  // namespace pithball::sim
