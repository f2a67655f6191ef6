#pragma once
#include "sim/integrator/imex_midpoint.hpp"

namespace pithball::sim {

/// The two-step backward differentiation formula for springs and dampers, with the other forces extrapolated (Ascher,
/// Ruuth and Wetton 1995, SBDF), g = 2h/3:
///   y_x = (4 x_n − x_{n−1})/3,   y_v likewise,
///   M (z − y_x − g y_v) = g² [ f_s(z) + F_d(2 x_n − x_{n−1}, (z − y_x)/g) + 2 f_e(n) − f_e(n−1) ],
///   x_{n+1} = z,   v_{n+1} = (z − y_x)/g.
/// Second order; damps oscillations that the step does not resolve, so between `imex_euler` and `imex_midpoint`. One
/// Coulomb sum and one stage a step. The first step is `imex_midpoint`'s.
/// History, after the first step: `position`, `velocity` and `force`: x, v and f_e at n − 1.
class ImexBdf2 final : public Integrator {
 public:
  explicit ImexBdf2(const StageOptions& options) : stages_(options), first_(options) {}
  static const SchemeInfo scheme;
  const SchemeInfo& info() const override { return scheme; }
  const std::string& linear_solver() const override;

 private:
  void do_step(const Model&, double h, State&, History&, StepTape*, StepRecord&) override;
  StageSolver stages_;
  ImexMidpoint first_;
};

}  // namespace pithball::sim
