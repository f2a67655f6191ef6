#pragma once
#include "sim/integrator/integrator.hpp"
#include "sim/integrator/stage_solver.hpp"
#include "sim/integrator/velocity_flows.hpp"

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

}  // namespace pithball::sim
