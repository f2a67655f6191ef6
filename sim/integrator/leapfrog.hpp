#pragma once
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Leapfrog with velocities at half steps (Hockney and Eastwood 1981), all forces explicit, a_n = M⁻¹ F(x_n, v_n, t_n):
///   v_{n+½} = v_{n−½} + h a_n,   x_{n+1} = x_n + h v_{n+½},   at the start v_{−½} = v_0 − h/2 a_0.
/// The stored velocity is v_{n−½}, of first order at t_n; `synchronize` adds h/2 a_n, which gives second order.
/// Velocity-dependent forces use v_n = v_{n−½} + h/2 a_{n−1}. Second order in positions; one force evaluation per step;
/// stable for h < 2/ω_max. History, after the first step: `acceleration`, a_{n−1}.
class Leapfrog final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }

 private:
  void do_synchronize(const Model&, double h, State&, const History&, Losses*) const override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
};

}  // namespace pithball::sim
