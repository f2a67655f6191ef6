#pragma once
#include "diff/rollout/rollout.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {

/// A run that was judged, and not kept.
struct JudgedRun {
  bool is_complete;           ///< all steps went through; their motion may be doubtful nevertheless, or of no use
  optim::RunVerdict verdict;  ///< of `simulate` on the same run
};

/// Simulates a scenario with this number of steps between snapshots, and shows every state as `diff::run_forward` does.
/// A start that was not found is a run that failed.
JudgedRun judge_run(const diff::Scenario& scenario, sim::Index every, const diff::StateVisitor& visit = {});

}  // namespace pithball::app
