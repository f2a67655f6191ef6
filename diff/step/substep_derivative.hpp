#pragma once
#include <memory>

#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Derivative of an integrator whose steps may consist of substeps, because it is adaptive or something switches in
/// them: the chain of the derivatives of these substeps over their tapes; of a step in one piece, its derivative. The
/// substeps are held fixed, because their lengths jump with the state.
class SubstepDerivative final : public StepDerivative {
 public:
  /// `inner`: derivative of one substep.
  explicit SubstepDerivative(std::unique_ptr<const StepDerivative> inner) : inner_(std::move(inner)) {}
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;
  void start_tangent(const sim::Model&, const sim::State&, StateDirections& d, DerivativeCost&) const override;
  void start_adjoint(const sim::Model&, const sim::State&, StateVariation& a, DerivativeCost&) const override;
  void keep_stage_matrices(const sim::Model&, sim::StepTape&) const override;

 private:
  std::unique_ptr<const StepDerivative> inner_;
};

}  // namespace pithball::diff
