#pragma once
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Beeman's method (Beeman 1976) in the form whose velocities are corrected by Adams–Moulton of third order, all forces
/// explicit:
///   x⁺ = x + h v + h²/6 (4 a − a⁻),   v⁺ = v + h/12 (5 a⁺ + 8 a − a⁻),
///   a⁺ = M⁻¹ F(x⁺, v + h/2 (3 a − a⁻), t + h),   at the start a⁻ = a_0.
/// The start reduces the order: positions and velocities are of second order. One force evaluation per step. History:
/// `acceleration`, a, and `previous_acceleration`, a⁻.
class Beeman final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }

 private:
  History do_start(const Model&, const State&) override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
};

}  // namespace pithball::sim
