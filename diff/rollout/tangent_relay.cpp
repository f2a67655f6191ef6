#include "diff/rollout/tangent_relay.hpp"

namespace pithball::diff {
namespace {

/// Steps that a run may be ahead of its derivatives. Tapes of large bodies are large, and the loops within their steps
/// keep the threads busy.
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

}  // namespace pithball::diff
