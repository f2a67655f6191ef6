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
