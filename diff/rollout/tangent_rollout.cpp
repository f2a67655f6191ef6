#include "diff/rollout/rollout.hpp"
#include "diff/rollout/rollout_cost.hpp"
#include "diff/rollout/tangent_sweep.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {

RolloutStatus run_tangent(const Scenario& s, const Eigen::MatrixXd& directions, const TangentVisitor& visit,
                          RolloutCost* cost) {
  TangentSweep sweep(s, directions);
  const InitialState start(s);
  RolloutStatus status = begun(start);
  if (!status.ok()) return status;
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  status = begun(start, sweep.begin(start, stepper.state()));
  if (!status.ok()) return status;
  visit(0, stepper.state(), sweep.dx(), sweep.dv());

  sim::StepTape tape;
  while (stepper.n() < s.steps && status.ok()) {
    const sim::StepRecord record = stepper.advance(&tape);
    note_step(record, stepper.n(), status, cost);
    if (!status.ok()) break;
    sweep.advance(tape);
    if (!sweep.cost().reliable && status.unreliable_step < 0) status.unreliable_step = stepper.n();
    visit(stepper.n(), stepper.state(), sweep.dx(), sweep.dv());
  }
  if (cost) note_derivative(sweep.cost(), *cost);
  return status;
}

}  // namespace pithball::diff
