#include "diff/rollout/rollout.hpp"
#include "diff/rollout/rollout_cost.hpp"
#include "diff/rollout/tangent_relay.hpp"
#include "diff/rollout/tangent_sweep.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {
namespace {

/// Takes the steps of a run, with tapes up to step `until` for the derivatives that follow.
RolloutStatus take_steps(const Scenario& s, Index until, sim::Stepper& stepper, TangentRelay* relay,
                         const StepVisitor& show, RolloutCost* cost) {
  RolloutStatus status;
  show(stepper);
  while (stepper.n() < s.steps && status.ok()) {
    const bool carried = stepper.n() < until;
    sim::StepTape* const tape = carried ? relay->next_tape() : nullptr;
    if (carried && !tape) break;  // the derivatives threw, which says all
    const sim::StepRecord record = stepper.advance(tape);
    note_step(record, stepper.n(), status, cost);
    if (!status.ok()) break;
    if (carried) relay->add(stepper.n(), stepper.state());
    show(stepper);
  }
  return status;
}

}  // namespace

RolloutStatus run_tangent_until(const Scenario& s, const Eigen::MatrixXd& directions, Index until,
                                const StepVisitor& show, const TangentVisitor& visit, RolloutCost* cost) {
  const InitialState start(s);
  RolloutStatus status = begun(start);
  if (!status.ok()) return status;
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  const auto note_run = [&](const RolloutStatus& run) {
    status.status = run.status;
    status.step = run.step;
    status.unreliable_step = run.unreliable_step;
  };
  if (until < 0) {
    note_run(take_steps(s, until, stepper, nullptr, show, cost));
    return status;
  }
  TangentSweep sweep(s, directions);
  status = begun(start, sweep.begin(start, stepper.state()));
  if (!status.ok()) return status;
  visit(0, stepper.state(), sweep.dx(), sweep.dv());
  TangentRelay relay(s.model.particles(), sweep, visit);
  sim::parallel_in_order(2, run_cost(s, std::min(until, s.steps)), [&](Index k) {
    if (k > 0) return relay.follow();
    try {
      note_run(take_steps(s, until, stepper, &relay, show, cost));
    } catch (...) {
      relay.end();
      throw;
    }
    relay.end();
  });
  const Index unreliable = relay.unreliable_step();
  if (unreliable >= 0 && (status.unreliable_step < 0 || unreliable < status.unreliable_step))
    status.unreliable_step = unreliable;
  if (cost) note_derivative(sweep.cost(), *cost);
  return status;
}

RolloutStatus run_tangent(const Scenario& s, const Eigen::MatrixXd& directions, const TangentVisitor& visit,
                          RolloutCost* cost) {
  return run_tangent_until(
      s, directions, s.steps, [](const sim::Stepper&) {}, visit, cost);
}

double run_cost(const Scenario& scenario, Index steps) {
  constexpr double pairs_per_step = 300;  // for each particle: at least some hundred, a step does so much else
  return pairs_per_step * steps * scenario.model.particles();
}

}  // namespace pithball::diff
