#pragma once
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::SymplecticEuler`; one product with the forces' linearization for each step, like the step itself.
class SymplecticEulerDerivative final : public StepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
