#pragma once
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of an implicit-explicit integrator: `sim::StageSolver` solves its stages, and their Hessians can be kept.
class ImexStepDerivative : public StepDerivative {
 public:
  void keep_hessians(const sim::Model& model, sim::StepTape& tape) const final {
    for (sim::StageSolution& stage : tape.stages) stage.hessian = sim::stage_hessian(model, stage);
  }
};

}  // namespace pithball::diff
