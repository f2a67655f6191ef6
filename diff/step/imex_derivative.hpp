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

/// Partner of `sim::ImexBdf2`: carries (x, v), the last displacement, velocity and explicit forces; its first step is
/// that of `ImexMidpointDerivative`.
class ImexBdf2Derivative final : public ImexStepDerivative {
 public:
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
};

}  // namespace pithball::diff
