#pragma once
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::VelocityVerlet`; one product with the forces' linearization for each step, like the step itself.
class VelocityVerletDerivative final : public StepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
  void start_tangent(const sim::Model&, const sim::State&, StateDirections& d, DerivativeCost&) const override;
  void start_adjoint(const sim::Model&, const sim::State&, StateVariation& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
