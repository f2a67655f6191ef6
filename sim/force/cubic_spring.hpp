#pragma once
#include "sim/force/force_term.hpp"
#include "sim/force/spring_loops.hpp"

namespace pithball::sim {

/// What hardens the model's springs, in addition to `SpringForce`: U = Σ k₃/4 d⁴, force on i: −k₃ d³ b̂ with
/// b = x_i − x_j and d = |b| − l0, so that one spring is a Duffing oscillator, k d + k₃ d³. Value: `cubic_stiffness`
/// k₃ ≥ 0 [N/m³], one for every spring; l0 is the value `rest_length` of the springs. Implicit in the IMEX integrators.
class CubicSpring final : public ForceWith<StiffPotential> {
 public:
  /// Initial k₃ [N/m³], one for each spring of the model. It must come after a `SpringForce` in the list of forces.
  explicit CubicSpring(Vector cubic_stiffness) : cubic_stiffness_(std::move(cubic_stiffness)) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// −scale · ∂²U/∂b² for each spring; `definite`: of a compressed one, the nearest positive semidefinite matrix. The
  /// linear part of a spring is indefinite at the same lengths, so that the sum of both is the nearest one, too.
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// Nothing: the stiffness 3 k₃ d² has no upper bound, and is 0 at rest.
  void add_stiffness_majorizer(const Model&, double, Majorizer&) const override {}
  /// Adds 2 k₃ |d|³/l to both ends of each compressed spring [N/m].
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

 private:
  struct Numbers;
  Numbers numbers(const Model&) const;

  Vector cubic_stiffness_;  // initial values; `Model::values()` has the current ones
  Index block_ = 0, rest_length_block_ = 0;
  SpringLoops loops_;
};

}  // namespace pithball::sim
