#pragma once
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::Xpbd`: the chain of its substeps, each with the reverse of its sweeps. Kicks, flows and row after
/// row of a substep are recomputed from the substep's beginning, so that the tape holds states only. Constraints must
/// be differentiable (`sim::DifferentiableRows`): contacts and links that can break jump.
class XpbdDerivative final : public StepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
