#pragma once
#include "diff/step/imex_step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::ImexEuler`. With A = ∂f_e/∂x, B = ∂f_e/∂v at the step's beginning and H, C, D = h² ∂F_d/∂x̄ of the stage,
///   H δx⁺ = (M + hC + h²A + D) δx + (hM + h²B) δv + h² (∂f/∂θ) δθ − δM (x⁺ − x − h v),   δv⁺ = (δx⁺ − δx)/h.
class ImexEulerDerivative final : public ImexStepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& d, const Eigen::MatrixXd& dvalues,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, StateVariation& a, Vector& gvalues, DerivativeCost&) const override;
};

}  // namespace pithball::diff
