#pragma once
#include "diff/step/imex_step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::ImexEuler`. With A = ∂f_e/∂x, B = ∂f_e/∂v at the step's beginning and H, D = h² ∂F_d/∂x̄ of the
/// stage,
///   H dδ = (h²K + h²A + D) dx + (h³K + h²C + h²B) dv + h² (∂f/∂θ) dθ − δ dM,   dx⁺ = dx + h dv + dδ,   dv⁺ = dv +
///   dδ/h,
/// K = ∂f_s/∂x, C = ∂F_d/∂v.
class ImexEulerDerivative final : public ImexStepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
