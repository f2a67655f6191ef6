#pragma once
#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// The status before the first step of a run from `start`.
inline RolloutStatus begun(const InitialState& start) {
  return {.status = start.found() ? sim::StepStatus::Ok : sim::StepStatus::NotConverged,
          .cause = start.failure(),
          .rest = start.rest()};
}
/// The same with the reason why its initial state has no derivative; empty: it has one.
inline RolloutStatus begun(const InitialState& start, std::string no_derivative) {
  RolloutStatus status = begun(start);
  if (status.ok() && !no_derivative.empty()) {
    status.status = sim::StepStatus::NotConverged;
    status.cause = std::move(no_derivative);
  }
  return status;
}

/// Adds the report of a forward step to a rollout's status and cost.
inline void note_step(const sim::StepRecord& record, Index n, RolloutStatus& status, RolloutCost* cost) {
  status.status = record.status;
  status.step = n;
  if (!record.derivative_reliable && status.unreliable_step < 0) status.unreliable_step = n;
  if (!cost) return;
  cost->force_evaluations += record.work.force_evaluations;
  cost->linear_solves += record.work.linear_solves;
  cost->cg_iterations += record.work.cg_iterations;
  cost->capped_substeps += record.work.capped_substeps;
}

/// Adds the cost of derivative passes.
inline void note_derivative(const DerivativeCost& made, RolloutCost& cost) {
  cost.force_evaluations += made.force_products;
  cost.linear_solves += made.linear_solves;
  cost.cg_iterations += made.cg_iterations;
}

}  // namespace pithball::diff
