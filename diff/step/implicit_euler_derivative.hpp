#pragma once
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of the integrator `implicit_euler`, `sim::Theta` with θ = 1: x⁺ solves one stage with every force in it, v⁺
/// = (x⁺ − x)/h.
class ImplicitEulerDerivative final : public StepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
  void keep_stage_matrices(const sim::Model&, sim::StepTape&) const override;
};

}  // namespace pithball::diff
