#pragma once
#include <vector>

#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// The coefficients of an explicit Runge–Kutta method (Butcher 1964). Its nodes are the row sums c_i = Σ_j a_ij.
struct RungeKuttaTableau {
  IntegratorInfo info;                 ///< name, order and cost
  std::vector<std::vector<double>> a;  ///< strictly lower triangle: row i holds a_i0 … a_i,i−1
  std::vector<double> b;               ///< weights of the result
  std::vector<double> lower = {};      ///< weights of the embedded method, one order lower; empty: none

  std::size_t stages() const { return b.size(); }  ///< number of stages, and of force evaluations in a step
  double node(std::size_t i) const;                ///< c_i, as a part of the step
};

/// All methods of the family, in the order of the documentation: `explicit_euler`, `midpoint`, `heun`, `ralston`,
/// `rk4`, `rk4_38`.
const std::vector<RungeKuttaTableau>& runge_kutta_tableaux();
/// The tableau with this name, which must exist.
const RungeKuttaTableau& runge_kutta_tableau(const std::string& name);

/// One explicit Runge–Kutta step on (x, v)' = (v, M⁻¹F(x, v, t)), all forces explicit:
///   X_i = x + h Σ_j a_ij V_j,   V_i = v + h Σ_j a_ij A_j,   A_i = M⁻¹ F(X_i, V_i, t + c_i h),
///   x⁺ = x + h Σ_i b_i V_i,     v⁺ = v + h Σ_i b_i A_i.
/// Held particles follow their paths at every stage.
class RungeKutta final : public Integrator {
 public:
  /// Keeps a reference, one of `runge_kutta_tableaux()`.
  explicit RungeKutta(const RungeKuttaTableau& tableau) : tableau_(tableau) {}
  const IntegratorInfo& info() const override { return tableau_.info; }

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  const RungeKuttaTableau& tableau_;
};

/// One stage of a step: the state (X_i, V_i, t + c_i h), its acceleration A_i, and, if requested, the powers removed
/// there [W].
struct RungeKuttaStage {
  State state;          ///< (X_i, V_i, t + c_i h)
  Points acceleration;  ///< A_i [m/s²], 3×N; 0 for held particles
  Losses powers = {};   ///< 0 if not requested
};
/// All stages of a step of length h [s].
std::vector<RungeKuttaStage> runge_kutta_stages(const RungeKuttaTableau&, const Model&, double h, const State&,
                                                bool with_losses = false);

/// A step without an `Integrator`, for integrators that start with it or build on it: its end, the acceleration at its
/// beginning, and the difference between the result and the embedded method's, zero without one. If requested, the
/// energy removed by forces [J]: the powers of the stages with the method's weights, and thus of its order.
struct RungeKuttaStep {
  State end;              ///< (x⁺, v⁺) at the end of the step
  Points acceleration;    ///< M⁻¹ F at the beginning [m/s²], 3×N; 0 for held particles
  Points position_error,  ///< of the end, result − embedded [m], 3×N; 0 for held particles
      velocity_error;     ///< likewise of the velocities [m/s]
  Losses losses = {};     ///< 0 if not requested
};
/// One step.
RungeKuttaStep runge_kutta_step(const RungeKuttaTableau&, const Model&, const TimeStep&, const State&,
                                bool with_losses = false);

}  // namespace pithball::sim
