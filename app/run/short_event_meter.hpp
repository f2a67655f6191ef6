#pragma once
#include <optional>

#include "diff/rollout/rollout.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/field/passage.hpp"
#include "sim/integrator/step_record.hpp"

namespace pithball::app {

/// Watches the steps of a run for what is too short for them: particles that fly through spheres or obstacles between
/// two looks at the forces, and pulses of forces in time that a scheme with a fixed step misses.
class ShortEventMeter {
 public:
  /// The scenario must outlive the meter.
  explicit ShortEventMeter(const diff::Scenario& scenario);
  /// Takes the states before and after a step, and its record.
  void add(const sim::State& before, const sim::State& after, const sim::StepRecord& record);
  /// Makes the run doubtful, with the time step to write, where it missed something.
  void doubt(optim::RunVerdict& verdict) const;

 private:
  /// A force in time that acts for less than a step.
  struct Pulse {
    double t,   ///< when it has passed [s]
        width;  ///< how long it is [s]
  };
  void look_for_passage(const sim::Flight& flight);
  void look_for_switches(const std::vector<sim::Switch>& switches, double longest);
  void look_for_pulse(const sim::State& before, const sim::State& after);

  const diff::Scenario& scenario_;
  std::optional<sim::Passage> passage_;  // the farthest, in sizes
  double passage_time_ = 0;              // [s]
  sim::Vector impulse_, missed_;         // Σ ∫|a| dt of forces that vary with time, and what of it was missed [m/s]
  double most_missed_ = 0;               // in one step [m/s]
  std::optional<Pulse> pulse_,           // where most was missed
      switched_;                         // the shortest time from one sudden switch to the next
};

}  // namespace pithball::app
