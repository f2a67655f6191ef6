#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/state.hpp"
#include "sim/integrator/stage_problem.hpp"

namespace pithball::sim {

/// Data of one step for its derivative: its beginning, its end, and the converged stages in between.
struct StepTape {
  double h = 0;                         ///< length of the step [s]
  State before,                         ///< state before the step
      after;                            ///< state after it
  std::vector<Points> history_before;   ///< before the step, in the order of `IntegratorInfo::history`
  std::vector<StageSolution> stages;    ///< in the order in which they were solved; none of an explicit integrator
  std::vector<StepTape> substeps = {};  ///< of an integrator with substeps, or of a divided step: one each, in order
  bool holds_touches = false;           ///< made with the touches of its beginning, to where they change or as planned
  Index iterations = 0;                 ///< over the constraints in each substep, for an integrator with constraints
  std::optional<State> forces_at = {};  ///< where forces were evaluated, if once for all substeps
  std::size_t bytes() const;            ///< memory held, for the budget
};

}  // namespace pithball::sim
