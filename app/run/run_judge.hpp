#pragma once
#include <optional>

#include "app/experiment/experiment.hpp"
#include "app/run/run_meters.hpp"
#include "diff/rollout/rollout.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"

namespace pithball::app {

/// How an experiment is simulated.
sim::RunOptions run_options(const Experiment& experiment);

/// Verdict on a run whose last step is number `step` and ended at `time` [s]; `approach`: what came closer than the
/// steps resolve.
optim::RunVerdict verdict_on_end(sim::StepStatus status, Index step, double time, const diff::Scenario& scenario,
                                 const std::optional<sim::CloseApproach>& approach = {});

/// Whether the energy of a run shows that its motion does not follow its forces. `heat`: the total that a thermostat
/// has given and taken [J], relative to which an error counts, too.
bool is_doubtful(const sim::EnergyBalance& balance, double heat = 0);

/// Makes a good run doubtful if the error of its energy exceeds a tenth of the exchanged energy, and diverged if it
/// exceeds 100,000 times the energy of the motion itself. `approach`: what came closer than the steps resolve.
void doubt_energy(const sim::EnergyBalance& balance, const diff::Scenario& scenario,
                  const std::optional<sim::CloseApproach>& approach, optim::RunVerdict& verdict);

/// Watches our own steps of a run, and judges it: how its steps ended, its energy, its temperature, and what was too
/// short for its steps.
class RunJudge {
 public:
  /// `same_particles`: none come or go. The scenario must outlive it.
  explicit RunJudge(const diff::Scenario& scenario, bool same_particles = true);
  /// Takes the state after a step and its record, the first being the start, as the observer of a run does.
  void add(sim::Index step, const sim::State& state, const sim::StepRecord& record, const sim::EnergyRow* kept);
  /// The verdict on a run whose last step ended with this status, from the balance of its energy rows.
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

/// A run that was judged, and not kept.
struct JudgedRun {
  bool is_complete;           ///< all steps succeeded; the motion may still be doubtful, or of no use
  optim::RunVerdict verdict;  ///< of `simulate` on the same run
};

/// Simulates a scenario with this number of steps between snapshots, and shows every state as `diff::run_forward` does.
/// A start that was not found is a run that failed.
JudgedRun judge_run(const diff::Scenario& scenario, sim::Index every, const diff::StateVisitor& visit = {});

}  // namespace pithball::app
