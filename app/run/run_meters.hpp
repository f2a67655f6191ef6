#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/state.hpp"
#include "sim/field/passage.hpp"
#include "sim/integrator/step_record.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// Watches the kept states of a run for motions that no body makes, most of which come from a wrong unit.
class MotionMeter {
 public:
  /// Takes the next kept state, the first being the start.
  void add(const sim::State& state);
  /// Absurd values, one sentence each: a speed above that of light, since mechanics here is Newton's, and positions
  /// that have grown 1e20-fold, so that doubles no longer resolve the start.
  std::vector<std::string> notes() const;

 private:
  double start_ = -1, farthest_ = 0, fastest_ = 0;  // |x| at the start and at most [m]; |v| at most [m/s]
  double time_ = 0;                                 // of the fastest [s]
};

/// Watches the steps of a run for what is too short for them: particles that fly through spheres or obstacles between
/// two evaluations of the forces, and pulses of forces in time that a scheme with a fixed step misses.
class ShortEventMeter {
 public:
  /// The scenario must outlive the meter.
  explicit ShortEventMeter(const diff::Scenario& scenario);
  /// Takes the states before and after a step, and its record.
  void add(const sim::State& before, const sim::State& after, const sim::StepRecord& record);
  /// If something was missed, makes the run doubtful and says which time step to write.
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

/// Why the heat of a run is not that of its thermostat, and what to change.
struct ThermalDoubt {
  std::string why;     ///< one clause
  std::string remedy;  ///< likewise
};

/// Measures the mean kinetic energy of a run whose whole body has one thermostat, after ten times its relaxation time,
/// and compares it with k_B T/2 for each degree of freedom.
class ThermalMeter {
 public:
  /// Does nothing in a model without such a thermostat, or with several temperatures.
  explicit ThermalMeter(const diff::Scenario&);
  /// Takes the next kept row, the first being the start.
  void add(const sim::EnergyRow& row);
  /// What is wrong, if the kinetic energy is off by more than half, and five standard deviations of its mean; of an
  /// excess, only the part counts that nothing but the thermostat can have given.
  std::optional<ThermalDoubt> doubt() const;
  /// The total heat that the thermostat has given and taken until then [J], of which the energy book contains only the
  /// difference: k_B T/2 for each degree of freedom in each relaxation time; infinite for a thermostat that acts at
  /// once, 0 without one.
  double exchanged(double t) const;

 private:
  std::optional<sim::ThermalBath> bath_;
  bool may_be_cold_;  // without constraints, which take heat away with their freedoms
  sim::EnergyRow start_;
  long seen_ = 0, rows_ = 0;      // all rows; those of the mean
  double last_ = 0;               // time of the last row [s]
  double kinetic_ = 0, own_ = 0;  // sums over these rows [J]: of all; without what others gave
};

/// What velocities mean where a thermostat's friction acts in less than a step, and how far xpbd's drift is off; empty
/// if friction is resolved.
std::string coarse_friction_note(const diff::Scenario&);

}  // namespace pithball::app
