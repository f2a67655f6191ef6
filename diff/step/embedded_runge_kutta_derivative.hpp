#pragma once
#include "diff/step/runge_kutta_derivative.hpp"

namespace pithball::diff {

/// Partner of `sim::EmbeddedRungeKutta`: the chain of the derivatives of its substeps, whose planned lengths are held
/// fixed, because they jump with the state. A substep that ends where a touch changes is as long as it takes to get
/// there: with the depth d of the touch, which is 0 at its end, it is longer by
///   δτ = −(∂d/∂x·δx + ∂d/∂values·δvalues)/(dd/dτ),
/// and those that lead from there to the planned end are shorter by as much. Where forces jump there, this gives the
/// saltation matrix (Aizerman and Gantmacher 1958) of the discrete motion.
class EmbeddedRungeKuttaDerivative final : public StepDerivative {
 public:
  /// The tableau of the integrator, which must outlive this object.
  explicit EmbeddedRungeKuttaDerivative(const sim::RungeKuttaTableau& tableau) : substep_(tableau) {}
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;

 private:
  RungeKuttaDerivative substep_;
};

}  // namespace pithball::diff
