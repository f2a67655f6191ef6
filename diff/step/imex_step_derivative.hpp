#pragma once
#include "diff/step/stage_derivative.hpp"
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of an implicit-explicit integrator: `sim::StageSolver` solves its stages, and their matrices can be kept.
class ImexStepDerivative : public StepDerivative {
 public:
  void keep_stage_matrices(const sim::Model& model, sim::StepTape& tape) const final {
    for (sim::StageSolution& stage : tape.stages) StageDerivative(model, stage).keep_matrices(stage);
  }
};

}  // namespace pithball::diff
