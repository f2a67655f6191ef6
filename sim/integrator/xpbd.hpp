#pragma once
#include <optional>

#include "sim/constraint/projection.hpp"
#include "sim/core/settings.hpp"
#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// Extended position-based dynamics in small steps: the integrator for models with constraints. A step h is n substeps
/// of Δt = h/n, each of which is
///   v ← v + Δt M⁻¹ F(x, v, t),   x ← x + Δt v,
///   a sweep (or several) over the constraints' rows, one after the other:
///     Δλ = (−C − α̃ λ − γ ∇C·(x − x_prev)) / ((1 + γ) ∇C M⁻¹ ∇Cᵀ + α̃),   α̃ = α/Δt²,  γ = α β/Δt,
///     x ← x + M⁻¹ ∇Cᵀ Δλ,   λ ← λ + Δλ from 0, kept ≥ 0 for inequalities,
///   v ← (x − x_prev)/Δt, followed by restitution and friction of the active contacts.
/// All forces are explicit, including springs and dampers; explicit velocity-dependent ones act by their exact flow.
/// Held particles have zero inverse mass and are at their prescribed positions at the end of each substep. First order
/// in Δt; without constraints it is `symplectic_euler` in substeps. (Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke,
/// Müller 2019, Alg. 1; Macklin, Müller, Chentanez 2016, Eqs. 18 and 26.)
///
/// With `forces: every_step` the forces of a step, but not the flows, are evaluated once, at the mean of the substeps'
/// beginnings in free flight, x + κ h v at t + κ h with κ = (1 − 1/n)/2: without constraints a step is then
/// drift–kick–drift, as symplectic as with forces in every substep.
class Xpbd final : public Integrator {
 public:
  static const IntegratorInfo integrator;  ///< its entry in `integrators()`
  /// Settings of the integrator.
  struct Options {
    Index substeps = 10;       ///< n
    Index iterations = 1;      ///< over all rows in each substep
    bool forces_once = false;  ///< evaluate forces once per step instead of in every substep
  };
  /// Reads `substeps`, `iterations` and `forces`.
  static Options read(Settings& settings);

  /// Substeps and iterations ≥ 1.
  explicit Xpbd(const Options& options);
  const IntegratorInfo& info() const override { return info_; }

  // Reports on the last step, which later steps do not read.

  /// The active rows of its last substep.
  std::vector<RowForce> row_forces() const;
  /// The active contacts of it.
  std::vector<ContactRecord> contacts() const;

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  Options options_;
  IntegratorInfo info_;  // with the force evaluations of these options
  std::optional<Projection> last_;
  double last_substep_ = 0;
};

}  // namespace pithball::sim
