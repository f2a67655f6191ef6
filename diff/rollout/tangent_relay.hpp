#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "diff/rollout/tangent_sweep.hpp"

namespace pithball::diff {

/// Hands the steps of a run over to a sweep of derivatives, which may follow on another thread a few steps behind. The
/// sweep does the same in the same order whichever thread carries it, so that results do not depend on threads.
class TangentRelay {
 public:
  /// The sweep stands at the beginning of the run, where `visit` has been called. Both must outlive this object.
  TangentRelay(Index particles, TangentSweep& sweep, const TangentVisitor& visit);

  /// For the run: the tape for its next step. Where the sweep is too far behind, carries it on or waits for the thread
  /// that does. Null after the sweep threw: the run should end.
  sim::StepTape* next_tape();
  /// For the run: the step that was recorded on this tape led to step n and this state.
  void add(Index n, const State& state);
  /// For the run: no further step follows, also when the run threw.
  void end();

  /// For the thread that follows: carries the sweep on until the end of the run.
  void follow();

  /// After `follow`: the first step whose derivative is unreliable; −1: none.
  Index unreliable_step() const { return unreliable_step_; }

 private:
  struct Step {
    Index n = 0;
    sim::StepTape tape;
    State state;
  };

  Index waiting() const { return made_ - carried_; }
  Step& place(Index number) { return steps_[number % static_cast<Index>(steps_.size())]; }
  /// Carries the sweep over the earliest step that waits; the caller holds `carrying_`.
  void carry();
  /// Sleeps until the condition holds, which `wake` must announce.
  template <class Condition>
  void sleep_until(const Condition& condition);
  void wake();

  TangentSweep& sweep_;
  const TangentVisitor& visit_;
  std::vector<Step> steps_;  // a ring: steps that were made and not carried
  Index half_;               // of its length: threads sleep and wake for some steps together
  std::atomic<Index> made_ = 0, carried_ = 0;
  std::atomic<bool> ended_ = false, failed_ = false;
  Index unreliable_step_ = -1;
  std::mutex carrying_;  // of the sweep
  std::mutex sleeping_;  // of `changed_`
  std::condition_variable changed_;
};

}  // namespace pithball::diff
