#pragma once
#include "sim/core/settings.hpp"
#include "sim/integrator/integrator.hpp"
#include "sim/integrator/stage_solver.hpp"

namespace pithball::sim {

/// The θ-method with every force treated implicitly (Hairer and Wanner 1996, IV.3), a = M⁻¹ F(x, v, t):
///   x⁺ = x + h ((1−θ) v + θ v⁺),   v⁺ = v + h ((1−θ) a + θ a⁺).
/// Eliminating v⁺ leaves one stage problem for x⁺ with g = θh, y = x + h v + θ(1−θ) h² a and r = x + (1−θ) h v. θ = ½
/// is the trapezoidal rule, of second order and reversible; θ = 1 implicit Euler, of first order, with numerical
/// damping; θ = 0 explicit. For charges so stiff that explicit Coulomb forces limit the step: each Newton iteration
/// costs tens of Coulomb products. With `newton_iterations: 1` only the linearization at the beginning of the step is
/// solved (Baraff and Witkin 1998): cheaper, the same order, stable for moderate motion only.
class Theta final : public Integrator {
 public:
  /// Settings of the integrator.
  struct Options {
    double theta = 0.5;       ///< between 0 and 1
    bool linearized = false;  ///< one Newton step from the beginning of the step instead of iterating to convergence
  };
  /// Reads `theta` and `newton_iterations`.
  static Options read(Settings& settings);

  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  /// The same with θ = 1, under its own name.
  static const IntegratorInfo implicit_euler;

  /// `info`: `integrator` or `implicit_euler`; order, cost and reversibility are then set by the options.
  Theta(const IntegratorInfo& info, Options options, StageOptions stage);
  const IntegratorInfo& info() const override { return info_; }
  const std::string& linear_solver() const override { return stages_.linear_solver(); }

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  IntegratorInfo info_;
  Options options_;
  ImplicitStageSolver stages_;
};

}  // namespace pithball::sim
