#pragma once
#include <memory>

#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// Partner of an integrator that makes each step of substeps of another and chooses their lengths: the chain of the
/// other's partners over the tapes of the substeps. The derivative is that of the step with the accepted substeps held
/// fast, as their lengths jump with the state.
class SubstepDerivative final : public StepDerivative {
 public:
  /// `inner` is the partner of one substep.
  explicit SubstepDerivative(std::unique_ptr<const StepDerivative> inner) : inner_(std::move(inner)) {}
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& d, const Eigen::MatrixXd& dvalues,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, StateVariation& a, Vector& gvalues,
               DerivativeCost&) const override;
  void start_tangent(const sim::Model&, const sim::State&, StateVariation& d, const Vector& dvalues,
                     DerivativeCost&) const override;
  void start_adjoint(const sim::Model&, const sim::State&, StateVariation& a, Vector& gvalues,
                     DerivativeCost&) const override;
  void keep_hessians(const sim::Model&, sim::StepTape&) const override;

 private:
  std::unique_ptr<const StepDerivative> inner_;
};

}  // namespace pithball::diff
