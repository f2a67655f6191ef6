#pragma once
#include <optional>

#include "app/run/short_event_meter.hpp"
#include "app/run/thermal_meter.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/run/close_approach.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {

/// Watches our own steps of a run, and judges it: how its steps ended, its energy, its temperature, and what was too
/// short for its steps.
class RunJudge {
 public:
  /// `same_particles`: none come or go. The scenario must outlive it.
  explicit RunJudge(const diff::Scenario& scenario, bool same_particles = true);
  /// Takes the state after a step and its record, the first being the start, as the observer of a run does.
  void add(sim::Index step, const sim::State& state, const sim::StepRecord& record, const sim::EnergyRow* kept);
  /// On a run whose last step ended so, with this balance of its rows.
  optim::RunVerdict verdict(sim::StepStatus status, const sim::EnergyBalance& balance) const;

 private:
  const diff::Scenario& scenario_;
  std::optional<ThermalMeter> heat_;
  std::optional<sim::ApproachMeter> approaches_;
  std::optional<ShortEventMeter> short_events_;
  std::optional<sim::State> before_;  // the state before the next step
  sim::Index step_ = 0;               // the last one
  double time_ = 0;                   // at its end [s]
};

}  // namespace pithball::app
