#pragma once
#include "diff/step/step_derivative.hpp"
#include "sim/integrator/runge_kutta.hpp"

namespace pithball::diff {

/// Partner of `sim::RungeKutta` for any of its tableaux. The tape holds the ends of the step only, so that the stages
/// are computed again: one sum of the forces and one product with their linearization for each stage.
class RungeKuttaDerivative final : public StepDerivative {
 public:
  /// The tableau of the integrator, which must outlive this object.
  explicit RungeKuttaDerivative(const sim::RungeKuttaTableau& tableau) : tableau_(tableau) {}
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& d, DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;

 private:
  const sim::RungeKuttaTableau& tableau_;
};

}  // namespace pithball::diff
