#pragma once
#include "diff/step/imex_step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::ImexBdf2`: carries (x, v), the last displacement, velocity and explicit forces; its first step is
/// that of `ImexMidpointDerivative`.
class ImexBdf2Derivative final : public ImexStepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
