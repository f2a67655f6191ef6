#include "app/run/run_judge.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/run/step_remedy.hpp"
#include "diff/rollout/initial_state.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::app {

sim::RunOptions run_options(const Experiment& experiment) {
  const diff::Scenario& scenario = experiment.scenario;
  return {scenario.integrator, scenario.time_step, scenario.steps, experiment.every, scenario.stage};
}

optim::RunVerdict verdict_on_end(sim::StepStatus status, Index step, double time, const diff::Scenario& scenario,
                                 const std::optional<sim::CloseApproach>& approach) {
  const std::string place = fmt::format("step {} (t = {:g} s)", step, time);
  const std::string where = approach ? "; " + approach->sentence() : "";
  switch (status) {
    case sim::StepStatus::Diverged:
      return {optim::RunStatus::Diverged,
              fmt::format("diverged at {}: a position or velocity is not finite or far outside the initial extent{}",
                          place, where),
              step_remedy(StepTrouble::Diverged, scenario, approach)};
    case sim::StepStatus::NotConverged:
      return {optim::RunStatus::NotConverged,
              fmt::format("not converged at {}: {}{}", place,
                          scenario.integrator.info().implicit
                              ? "the implicit step did not reach simulation.tolerance"
                              : "no substep, however short, reached the tolerance of " + scenario.integrator.name() +
                                    ", or touches changed too often within one",
                          where),
              step_remedy(StepTrouble::NotConverged, scenario, approach)};
    case sim::StepStatus::Ok:
      break;
  }
  if (step == scenario.steps) return {};
  return {optim::RunStatus::Interrupted, fmt::format("interrupted after {}", place), "continue with --resume"};
}

namespace {

/// Energy error of a run, relative to the largest change of any kind of energy, above which its forces do not explain
/// its motion: ten times the error of coarse but useful runs, and a tenth of the error of a run that gains its energy
/// from the time steps.
constexpr double doubtful_energy_error = 0.1;
/// If the added energy exceeds this multiple of the energy from forces and the initial state, the body moves hundreds
/// of times too fast, and its motion is meaningless.
constexpr double absurd_energy = 1e5;

}  // namespace

bool is_doubtful(const sim::EnergyBalance& balance, double heat) {
  return balance.max > doubtful_energy_error && std::abs(balance.added) > doubtful_energy_error * heat;
}

void doubt_energy(const sim::EnergyBalance& balance, const diff::Scenario& scenario,
                  const std::optional<sim::CloseApproach>& approach, optim::RunVerdict& verdict) {
  if (!is_doubtful(balance)) return;
  const std::string when = fmt::format("step {} (t = {:g} s)", balance.worst.step, balance.worst.t);
  const std::string where = approach ? ": " + approach->sentence() : "";
  if (balance.own > 0 && balance.added > absurd_energy * balance.own)
    return verdict.fail(
        optim::RunStatus::Diverged,
        fmt::format("diverged: up to {} the integration error added {:.3g} J, {:.2g} times the energy of the motion{}",
                    when, balance.added, balance.added / balance.own, where),
        step_remedy(StepTrouble::GainedEnergy, scenario, approach));
  const StepTrouble trouble = balance.added > 0 ? StepTrouble::GainedEnergy : StepTrouble::LostEnergy;
  verdict.doubt(
      fmt::format("up to {} the integration error {} {:.3g} J, {:.3g} times the largest change of any kind of energy{}",
                  when, balance.added > 0 ? "added" : "removed", std::abs(balance.added), balance.max, where),
      step_remedy(trouble, scenario, approach));
}

RunJudge::RunJudge(const diff::Scenario& scenario, bool same_particles) : scenario_(scenario) {
  if (!same_particles) return;
  heat_.emplace(scenario);
  approaches_.emplace(scenario.model);
  short_events_.emplace(scenario);
}

void RunJudge::add(sim::Index step, const sim::State& state, const sim::StepRecord& record,
                   const sim::EnergyRow* kept) {
  if (before_ && approaches_) approaches_->add(step, *before_, state);
  if (before_ && short_events_) short_events_->add(*before_, state, record);
  if (approaches_) before_ = state;
  if (heat_ && kept) heat_->add(*kept);
  step_ = step;
  time_ = state.t;
}

optim::RunVerdict RunJudge::verdict(sim::StepStatus status, const sim::EnergyBalance& balance) const {
  const bool is_off = is_doubtful(balance, heat_ ? heat_->exchanged(balance.worst.t) : 0);
  const bool is_in_question = status != sim::StepStatus::Ok || is_off;
  const auto approach = approaches_ && is_in_question ? approaches_->found(scenario_.time_step) : std::nullopt;
  optim::RunVerdict verdict = verdict_on_end(status, step_, time_, scenario_, approach);
  if (is_off) doubt_energy(balance, scenario_, approach, verdict);
  if (short_events_) short_events_->doubt(verdict);
  if (const auto doubt = heat_ ? heat_->doubt() : std::nullopt) verdict.doubt(doubt->why, doubt->remedy);
  return verdict;
}

JudgedRun judge_run(const diff::Scenario& scenario, sim::Index every, const diff::StateVisitor& visit) {
  const diff::InitialState start(scenario);
  if (!start.found()) return {false, {optim::RunStatus::Failed, start.failure(), ""}};
  sim::Stepper stepper(scenario.model, start.state(), scenario.integrator, scenario.stage, scenario.time_step);
  RunJudge judge(scenario);
  sim::EnergyBalancer energies;
  sim::Losses book;
  const double total = sim::energy_of(scenario.model, stepper.state()).total();
  const auto look = [&](const sim::StepRecord& record, bool is_kept) {
    if (!is_kept) return judge.add(stepper.n(), stepper.state(), record, nullptr);
    const sim::KeptStep kept = sim::keep_step(stepper, book, total);
    energies.add(kept.row);
    judge.add(stepper.n(), kept.state, record, &kept.row);
  };
  sim::StepStatus status = sim::StepStatus::Ok;
  look({}, true);
  if (visit) visit(0, stepper.state());
  while (stepper.n() < scenario.steps && status == sim::StepStatus::Ok) {
    const sim::StepRecord record = stepper.advance(nullptr, &book);
    status = record.status;
    look(record, stepper.n() % every == 0 || stepper.n() == scenario.steps || status != sim::StepStatus::Ok);
    if (visit && status == sim::StepStatus::Ok) visit(stepper.n(), stepper.state());
  }
  return {status == sim::StepStatus::Ok, judge.verdict(status, energies.balance())};
}

}  // namespace pithball::app
