#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/rollout/rollout_cost.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {

RolloutStatus run_forward(const Scenario& s, const StateVisitor& visit, RolloutCost* cost) {
  const InitialState start(s);
  RolloutStatus status = begun(start);
  if (!status.ok()) return status;
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  visit(0, stepper.state());
  while (stepper.n() < s.steps && status.ok()) {
    const sim::StepRecord record = stepper.advance();
    note_step(record, stepper.n(), status, cost);
    if (status.ok()) visit(stepper.n(), stepper.state());
  }
  return status;
}

}  // namespace pithball::diff
