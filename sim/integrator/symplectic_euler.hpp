#pragma once
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Symplectic Euler (Euler–Cromer), all forces explicit: v⁺ = v + h M⁻¹ F(x, v, t), x⁺ = x + h v⁺. First order; stable
/// for h < 2/ω_max.
class SymplecticEuler final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
};

}  // namespace pithball::sim
