#include "diff/rollout/tangent_rollout.hpp"

#include "diff/rollout/forward_rollout.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {
namespace {

/// Returns the number of steps by which a run may be ahead of its derivatives. It is small for large bodies: their
/// tapes are large, and the loops within a step suffice to keep the threads busy.
std::size_t most_ahead(Index particles) {
  constexpr Index small = 1000;
  return particles <= small ? 8 : 2;
}

}  // namespace

TangentRelay::TangentRelay(Index particles, TangentSweep& sweep, const TangentVisitor& visit)
    : sweep_(sweep), visit_(visit), steps_(most_ahead(particles)), half_(static_cast<Index>(steps_.size()) / 2) {}

sim::StepTape* TangentRelay::next_tape() {
  while (waiting() == static_cast<Index>(steps_.size()) && !failed_) {
    if (std::unique_lock held(carrying_, std::try_to_lock); held)
      carry();
    else
      sleep_until([this] { return waiting() <= half_ || failed_; });
  }
  return failed_ ? nullptr : &place(made_).tape;
}

void TangentRelay::add(Index n, const State& state) {
  Step& step = place(made_);
  step.n = n;
  step.state = state;
  if (++made_; waiting() == half_) wake();
}

void TangentRelay::end() {
  ended_ = true;
  wake();
}

void TangentRelay::follow() {
  for (;;) {
    if (waiting() < half_) sleep_until([this] { return waiting() >= half_ || ended_; });
    const std::lock_guard held(carrying_);
    if (failed_ || (ended_ && waiting() == 0)) return;
    carry();
    if (waiting() == half_) wake();
  }
}

void TangentRelay::carry() {
  if (waiting() == 0) return;
  Step& step = place(carried_);
  try {
    sweep_.advance(step.tape);
    if (!sweep_.cost().reliable && unreliable_step_ < 0) unreliable_step_ = step.n;
    visit_(step.n, step.state, sweep_.dx(), sweep_.dv());
  } catch (...) {
    failed_ = true;
    wake();
    throw;
  }
  ++carried_;
}

template <class Condition>
void TangentRelay::sleep_until(const Condition& condition) {
  std::unique_lock held(sleeping_);
  changed_.wait(held, condition);
}

void TangentRelay::wake() {
  { const std::lock_guard held(sleeping_); }
  changed_.notify_all();
}

namespace {

/// Makes the steps of a run, and records tapes up to step `until`, from which the derivatives are computed.
RolloutStatus take_steps(const Scenario& s, Index until, sim::Stepper& stepper, TangentRelay* relay,
                         const StepVisitor& show, RolloutCost* cost) {
  RolloutStatus status;
  show(stepper);
  while (stepper.n() < s.steps && status.ok()) {
    const bool carried = stepper.n() < until;
    sim::StepTape* const tape = carried ? relay->next_tape() : nullptr;
    if (carried && !tape) break;  // the derivatives have thrown; that error is reported
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
  constexpr double pairs_per_step = 300;  // per particle: a lower bound, as a step does much else
  return pairs_per_step * steps * scenario.model.particles();
}

}  // namespace pithball::diff
