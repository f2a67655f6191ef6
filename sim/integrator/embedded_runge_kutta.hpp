#pragma once
#include "sim/core/settings.hpp"
#include "sim/integrator/runge_kutta.hpp"

namespace pithball::sim {

/// The pairs of the family, in the order in which documentation lists them: `heun_euler`, `bogacki_shampine`,
/// `dormand_prince`.
const std::vector<RungeKuttaTableau>& embedded_tableaux();

/// An explicit Runge–Kutta pair that controls its error: one step of h is made of as many substeps as the tolerances
/// need (Hairer, Nørsett and Wanner 1993, II.4). A substep of τ is accepted where its result and the embedded method's,
/// one order lower, differ in every particle by at most `position_tolerance` ℓ̄ and `velocity_tolerance` ℓ̄/s, ℓ̄ the mean
/// rest length; the next one, or the next try, has
///   τ ← τ · clamp(0.9 e^(−1/p), 0.2, 5),   e the largest difference over its tolerance, p the order of the result.
/// The result is the method of higher order. The first try of every step is the whole of it, so that a step is a
/// function of the state alone. Accepted substeps are in the step record and on the tape.
class EmbeddedRungeKutta final : public Integrator {
 public:
  struct Tolerances {
    double position = 1e-7;  ///< in mean rest lengths
    double velocity = 1e-6;  ///< in mean rest lengths per second
  };
  /// Reads `position_tolerance` and `velocity_tolerance`.
  static Tolerances read(Settings& settings);

  EmbeddedRungeKutta(const RungeKuttaTableau& tableau, Tolerances tolerances)
      : tableau_(tableau), tolerances_(tolerances) {}
  const SchemeInfo& info() const override { return tableau_.info; }
  void freeze(std::shared_ptr<SubstepMemory> memory) override { memory_ = std::move(memory); }

 private:
  void do_step(const Model&, double h, State&, History&, StepTape*, StepRecord&, Losses*) override;
  /// Largest difference over its tolerance; not a number where a result is not finite.
  double error(const Model&, const RungeKuttaStep&) const;
  const RungeKuttaTableau& tableau_;
  Tolerances tolerances_;
  std::shared_ptr<SubstepMemory> memory_;
};

}  // namespace pithball::sim
