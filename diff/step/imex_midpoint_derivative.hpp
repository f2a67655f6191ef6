#pragma once
#include "diff/step/imex_step_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::ImexMidpoint`: kick, flow, stage, flow, kick, each linearized in turn. The history's force is an
/// input and an output of the step, so that one Coulomb product serves the end of a step and the start of the next.
class ImexMidpointDerivative final : public ImexStepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
  void start_tangent(const sim::Model&, const sim::State&, StateDirections& d, DerivativeCost&) const override;
  void start_adjoint(const sim::Model&, const sim::State&, StateVariation& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
