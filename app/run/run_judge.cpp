#include "app/run/run_judge.hpp"

#include "app/run/energy_doubt.hpp"
#include "app/run/run_end.hpp"

namespace pithball::app {

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

}  // namespace pithball::app
