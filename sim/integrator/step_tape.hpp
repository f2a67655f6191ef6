#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/state.hpp"
#include "sim/integrator/stage_problem.hpp"

namespace pithball::sim {

/// What one step leaves for its derivative: where it began, where it ended, and the converged stages on the way.
struct StepTape {
  double h = 0;
  State before, after;
  std::vector<Points> history_before;
  std::vector<StageSolution> stages;
  std::vector<StepTape> substeps =
      {};                ///< of an integrator that makes a step of substeps: a tape for each, in their order
  Index iterations = 0;  ///< over the constraints in each substep, of an integrator that projects on them
  std::optional<State> forces_at = {};  ///< where forces were evaluated, if once for all substeps
  std::size_t bytes() const;            ///< memory held, for the budget
};

}  // namespace pithball::sim
