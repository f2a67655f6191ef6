#pragma once
#include "sim/integrator/impulses.hpp"
#include "sim/integrator/integrator.hpp"
#include "sim/integrator/stage_solver.hpp"

namespace pithball::sim {

/// The implicit–explicit Euler step of Zhang et al. (2024, arXiv 2403.03005, Eq. 10–11): springs and dampers implicit
/// at the end of the step, most else explicit at its beginning,
///   M (x⁺ − x − h u) = h² [ f_s(x⁺) + F_d(x, v⁺) + f_e(x, v) ],   v⁺ = (x⁺ − x)/h.
/// u is v, turned by the exact flow of magnetic fields, which explicit steps would let grow.
/// F_d includes quadratic drag and friction: they never reverse a velocity, a block comes to rest, and a loaded block
/// creeps according to its friction law. First order. Its numerical damping keeps violent motion bounded and biases
/// estimates for calm motion.
class ImexEuler final : public Integrator {
 public:
  /// Settings of the stages. Throws InvalidArgument for an unknown linear solver.
  explicit ImexEuler(StageOptions options) : stages_(std::move(options)) {}
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }
  const std::string& linear_solver() const override { return stages_.linear_solver(); }

  /// f_e: neither in the stage nor a turn.
  static bool is_explicit(const ForceTerm& term) { return is_fully_explicit(term) && !is_turn(term); }

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  StageSolver stages_;
  StageSolution solution_;  // of the last step, whose memory the next one uses
};

/// Implicit midpoint for the springs between two half kicks with everything else (Stern and Grinspun 2009), g = h/2:
///   u = v + g M⁻¹ f_slow(x),   M (z − x − g u) = g² [ f_s(z) + F_d(y, (z − x)/g) ],   y = x + g u,
///   x⁺ = 2 z − x,   v⁺ = 2 (z − x)/g − u + g M⁻¹ f_slow(x⁺).
/// Terms with a velocity flow (quadratic drag) act by that flow after the first and before the second kick; held
/// particles keep their prescribed velocities. Second order, no numerical damping. Directions of dampers are evaluated
/// at y; at x they would reduce the order. History: `force`, f_slow at the current positions, so that a step costs one
/// sum.
class ImexMidpoint final : public Integrator {
 public:
  /// Settings of the stages. Throws InvalidArgument for an unknown linear solver.
  explicit ImexMidpoint(StageOptions options) : stages_(std::move(options)) {}
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  const IntegratorInfo& info() const override { return integrator; }
  const std::string& linear_solver() const override { return stages_.linear_solver(); }

  /// f_slow: explicit forces that do not depend on velocity.
  static bool is_slow(const ForceTerm& term) { return !is_implicit(term) && !is_velocity_dependent(term); }

 private:
  History do_start(const Model&, const State&) override;
  History do_extend(const Model&, const State&, const History& earlier) override;
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  StageSolver stages_;
  // Solutions of the last step, kept because the next one reuses their memory.
  StageSolution solution_;
  Points first_velocity_;
  Vector inverse_mass_;  // 0 for held particles
};

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
