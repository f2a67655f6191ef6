#pragma once
#include "sim/integrator/integrator.hpp"
#include "sim/integrator/stage_solver.hpp"
#include "sim/integrator/velocity_flows.hpp"

namespace pithball::sim {

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
  // Of the last step, for their memory, which the next one uses again.
  StageSolution solution_;
  Points first_velocity_;
  Vector inverse_mass_;  // 0 for held particles
};

}  // namespace pithball::sim
