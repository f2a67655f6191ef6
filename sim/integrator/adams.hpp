#pragma once
#include <vector>

#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// The coefficients of one Adams method.
struct AdamsCoefficients {
  IntegratorInfo info;                 ///< name, order and cost
  std::vector<double> predictor;       ///< b_j of Adams–Bashforth, newest first
  std::vector<double> corrector = {};  ///< Adams–Moulton, beginning with the new slope; empty: no corrector
};

/// All methods of the family: `ab2` … `ab5` and `abm2` … `abm5`.
const std::vector<AdamsCoefficients>& adams_methods();

/// Adams methods on y = (x, v), y' = f(y, t) = (v, M⁻¹F(x, v, t)), all forces explicit (Bashforth and Adams 1883;
/// Hairer, Nørsett and Wanner 1993, III.1):
///   abN:   y⁺ = y + h Σ_{j<N} b_j f_{n−j},
///   abmN:  the same as prediction p, then once corrected y⁺ = y + h (c_0 f(p) + Σ_{0<j<N} c_j f_{n+1−j}) (PECE).
/// The first N − 1 steps are rk4's. Order N in positions and velocities; one force evaluation per step, two with
/// correction. Weakly stable without damping: for short accurate runs and smooth forces. History, newest first:
/// `velocity_k` and `acceleration_k`, the slope f_{n−k}, k = 1 … N − 1. A book of losses is integrated by the same
/// formula.
class Adams final : public Integrator {
 public:
  /// Keeps a reference; one of `adams_methods()`.
  explicit Adams(const AdamsCoefficients& method) : method_(method) {}
  const IntegratorInfo& info() const override { return method_.info; }

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  const AdamsCoefficients& method_;
  std::vector<Losses> past_powers_;  // powers at n − 1, n − 2, … [W], for a run with a book
};

}  // namespace pithball::sim
