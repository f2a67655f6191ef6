#include "app/run/judged_run.hpp"

#include "app/run/run_judge.hpp"
#include "diff/rollout/initial_state.hpp"
#include "sim/run/kept_step.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::app {

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
