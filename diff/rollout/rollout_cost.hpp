#pragma once
#include "diff/rollout/rollout.hpp"
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// The status of a run whose position of rest was not found: it failed before its first step.
inline RolloutStatus no_rest() { return {.status = sim::StepStatus::NotConverged, .step = 0}; }

/// Enters what a forward step reported into a rollout's status and cost.
inline void note_step(const sim::StepRecord& record, Index n, RolloutStatus& status, RolloutCost* cost) {
  status.status = record.status;
  status.step = n;
  if (!record.derivative_reliable && status.unreliable_step < 0) status.unreliable_step = n;
  if (!cost) return;
  cost->force_evaluations += record.force_evaluations;
  cost->linear_solves += record.linear_solves;
  cost->cg_iterations += record.cg_iterations;
  cost->capped_substeps += record.capped_substeps;
}

/// Enters what derivative passes took.
inline void note_derivative(const DerivativeCost& made, RolloutCost& cost) {
  cost.force_evaluations += made.force_products;
  cost.linear_solves += made.linear_solves;
  cost.cg_iterations += made.cg_iterations;
}

}  // namespace pithball::diff
