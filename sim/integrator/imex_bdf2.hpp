#pragma once
#include "sim/integrator/imex_midpoint.hpp"

namespace pithball::sim {

/// The two-step backward differentiation formula for springs, dampers and drag, with the other forces extrapolated
/// (Ascher, Ruuth and Wetton 1995, SBDF), g = 2h/3 and Δ = x_n − x_{n−1}:
///   y_x = x_n + Δ/3,   y_v = v_n + (v_n − v_{n−1})/3,
///   M (z − y_x − g y_v) = g² [ f_s(z) + F_d(x_n + Δ, (z − y_x)/g) + 2 f_e(n) − f_e(n−1) ],
///   x_{n+1} = z,   v_{n+1} = (z − y_x)/g.
/// Second order; damps oscillations that the step does not resolve, between `imex_euler` and `imex_midpoint`. One
/// Coulomb sum and one stage per step. The first step is `imex_midpoint`'s. y_v would have the wrong sign after
/// quadratic drag or friction slows a particle to a quarter in one step: a step that does not resolve them is a
/// backward Euler step, g = h, y_x = x_n, y_v = v_n. History, after the first step: `displacement`, `velocity` and
/// `force`: Δ, and v and f_e at n − 1.
class ImexBdf2 final : public Integrator {
 public:
  /// Settings of the stages, also of the first step. Throws InvalidArgument for an unknown linear solver.
  explicit ImexBdf2(const StageOptions& options) : stages_(options), first_(options) {}
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }
  const std::string& linear_solver() const override;

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  /// Whether no explicit drag removes more than half of a velocity in a step.
  bool resolves_drag(const Model&, double h, const State&);
  StageSolver stages_;
  ImexMidpoint first_;
  std::shared_ptr<const BlockPattern> pattern_;  // of the explicit drag's derivative
  // For a run with a book: powers of explicit forces at n − 1, and of the last stage [W].
  Losses explicit_powers_, stage_powers_;
};

}  // namespace pithball::sim
