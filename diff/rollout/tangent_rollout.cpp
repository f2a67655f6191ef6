#include <optional>

#include "diff/rollout/rollout.hpp"
#include "diff/rollout/rollout_cost.hpp"
#include "diff/rollout/tangent_sweep.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {

RolloutStatus run_tangent_until(const Scenario& s, const Eigen::MatrixXd& directions, Index until,
                                const StepVisitor& visit, RolloutCost* cost) {
  const InitialState start(s);
  RolloutStatus status = begun(start);
  if (!status.ok()) return status;
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  std::optional<TangentSweep> sweep;
  if (until >= 0) {
    sweep.emplace(s, directions);
    status = begun(start, sweep->begin(start, stepper.state()));
    if (!status.ok()) return status;
  }
  const Eigen::MatrixXd none;
  const auto show = [&] {
    const bool carried = sweep && stepper.n() <= until;
    visit(stepper, carried ? sweep->dx() : none, carried ? sweep->dv() : none);
  };
  show();
  sim::StepTape tape;
  while (stepper.n() < s.steps && status.ok()) {
    const bool carried = stepper.n() < until;
    const sim::StepRecord record = stepper.advance(carried ? &tape : nullptr);
    note_step(record, stepper.n(), status, cost);
    if (!status.ok()) break;
    if (carried) {
      sweep->advance(tape);
      if (!sweep->cost().reliable && status.unreliable_step < 0) status.unreliable_step = stepper.n();
    }
    show();
  }
  if (cost && sweep) note_derivative(sweep->cost(), *cost);
  return status;
}

RolloutStatus run_tangent(const Scenario& s, const Eigen::MatrixXd& directions, const TangentVisitor& visit,
                          RolloutCost* cost) {
  return run_tangent_until(
      s, directions, s.steps,
      [&](const sim::Stepper& stepper, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
        visit(stepper.n(), stepper.state(), dx, dv);
      },
      cost);
}

}  // namespace pithball::diff
