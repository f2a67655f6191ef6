#pragma once
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Störmer's method (Verlet 1967, Eq. 4), all forces explicit, a_n = M⁻¹ F(x_n, v_n, t_n):
///   x_{n+1} = 2 x_n − x_{n−1} + h² a_n,   at the start x_1 = x_0 + h v_0 + h²/2 a_0.
/// The stored velocity is (x_n − x_{n−1})/h, of first order; `synchronize` adds h/2 a_n, which gives second order.
/// Velocity-dependent forces use v_n = (x_n − x_{n−1})/h + h/2 a_{n−1}. Second order in positions; one force evaluation
/// per step; stable for h < 2/ω_max. Computed in the summed form, (x_{n+1} − x_n)/h = (x_n − x_{n−1})/h + h a_n,
/// because the difference of two positions far from the origin, or a short step apart, loses digits. History, after the
/// first step: `acceleration`, a_{n−1}.
class Verlet final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }

 private:
  void do_synchronize(const Model&, double h, State&, const History&, Losses*) const override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
};

}  // namespace pithball::sim
