#pragma once
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Gear's predictor–corrector of fifth order for second-order equations (Gear 1971; coefficients of Allen and Tildesley
/// 1987, table E.2, for forces that depend on velocity), all forces explicit. With r_k = h^k/k! x^(k), k = 0 … 5:
///   predict  r_j ← Σ_{k ≥ j} binom(k, j) r_k,
///   correct  r_k ← r_k + c_k Δ,   Δ = h²/2 M⁻¹F(x, v, t + h) − r_2,   c = 3/20, 251/360, 1, 11/18, 1/6, 1/60.
/// The third and higher derivatives start at zero, which reduces the order to two. Accurate for smooth motion at small
/// steps; its stability limit is below that of Verlet. One force evaluation per step. History: the derivatives
/// `acceleration`, `jerk`, `snap` and `crackle`.
class Gear final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }

 private:
  History do_start(const Model&, const State&) override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
};

}  // namespace pithball::sim
