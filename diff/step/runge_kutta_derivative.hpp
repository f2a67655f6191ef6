#pragma once
#include "diff/step/step_derivative.hpp"
#include "sim/integrator/runge_kutta.hpp"

namespace pithball::diff {

/// A change of the timing of a step.
struct Retiming {
  double later,  ///< delay of its beginning [s]
      longer,    ///< increase of its length [s]
      probe;     ///< over which forces that depend on time explicitly are differenced [s]
};

/// Partner of `sim::RungeKutta` for any of its tableaux. The tape holds the ends of the step only, so that the stages
/// are computed again: one sum of the forces and one product with their linearization for each stage.
class RungeKuttaDerivative final : public StepDerivative {
 public:
  /// The tableau of the integrator, which must outlive this object.
  explicit RungeKuttaDerivative(const sim::RungeKuttaTableau& tableau) : tableau_(tableau) {}
  void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
               DerivativeCost&) const override;
  void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a, DerivativeCost&) const override;

  /// The change of x and v at its end due to a small retiming.
  sim::Variation drift(const sim::Model&, const sim::StepTape&, const Retiming& by) const;

 private:
  /// Propagates directions through the stages of a step of length h, with a retiming.
  void carry(const sim::Model&, const std::vector<sim::RungeKuttaStage>& stages, double h, const Retiming& by,
             sim::Directions& d) const;
  const sim::RungeKuttaTableau& tableau_;
};

}  // namespace pithball::diff
