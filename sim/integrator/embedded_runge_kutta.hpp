#pragma once
#include "sim/core/settings.hpp"
#include "sim/integrator/runge_kutta.hpp"

namespace pithball::sim {

/// The pairs of the family, in the order in which documentation lists them: `heun_euler`, `bogacki_shampine`,
/// `dormand_prince`.
const std::vector<RungeKuttaTableau>& embedded_tableaux();

/// An explicit Runge–Kutta pair that controls its error: one step of h is made of as many substeps as the tolerance
/// needs (Hairer, Nørsett and Wanner 1993, II.4). The measure is the motion's own: with T the shortest time in which a
/// force changes at the beginning of a substep of τ (`shortest_time`) and θ = min(h, T), particle i has the speed
///   u_i = max(|v_i|, |v_i⁺|) + θ |v_i⁺ − v_i|/τ.
/// The substep is accepted where its result and the embedded method's, one order lower, differ in every particle by at
/// most `tolerance` · u_i in velocity and `tolerance` · θ u_i in position; a particle that hardly moves is granted a
/// millionth of the fastest's u, and all what rounding of their coordinates leaves. The next substep, or the next try,
/// has
///   τ ← τ · clamp(0.9 e^(−1/p), 0.2, 5),   e the largest difference over what is granted, p the order of the result.
/// The result is the method of higher order. The first try of every step is the whole of it, so that a step is a
/// function of the state alone. Accepted substeps are in the step record and on the tape.
class EmbeddedRungeKutta final : public Integrator {
 public:
  static constexpr double usual_tolerance = 1e-7;
  /// Reads `tolerance`.
  static double read(Settings& settings);

  EmbeddedRungeKutta(const RungeKuttaTableau& tableau, double tolerance) : tableau_(tableau), tolerance_(tolerance) {}
  const IntegratorInfo& info() const override { return tableau_.info; }
  void freeze(std::shared_ptr<SubstepMemory> memory) override { memory_ = std::move(memory); }

 private:
  void do_step(const Model&, double h, State&, History&, StepOutput&) override;
  /// Largest difference of a substep τ [s] from this state over what is granted; not a number where a result is not
  /// finite. `time`: θ [s].
  double error(const State&, const RungeKuttaStep&, double tau, double time) const;
  const RungeKuttaTableau& tableau_;
  double tolerance_;
  std::shared_ptr<SubstepMemory> memory_;
};

}  // namespace pithball::sim
