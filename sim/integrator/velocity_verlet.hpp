#pragma once
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Velocity Verlet (Swope et al. 1982) with all forces explicit:
///   a = M⁻¹ [ f(x) + F(x, v) ],   x⁺ = x + h v + h²/2 a,   a⁺ = M⁻¹ [ f(x⁺) + F(x⁺, v + h a) ],   v⁺ = v + h/2 (a +
///   a⁺),
/// where F are the velocity-dependent forces (evaluating them at v + h a keeps order 2). Stable for h < 2/ω_max of the
/// stiffest spring. History: `force`, f at the current positions, so that a step costs one sum.
class VelocityVerlet final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }

  /// Whether a term belongs to f.
  static bool is_positional(const ForceTerm& term) { return !is_velocity_dependent(term); }

 private:
  History do_start(const Model&, const State&) override;
  History do_extend(const Model&, const State&, const History& earlier) override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
};

}  // namespace pithball::sim
