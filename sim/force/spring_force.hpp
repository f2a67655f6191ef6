#pragma once
#include "sim/force/force_term.hpp"
#include "sim/force/spring_loops.hpp"

namespace pithball::sim {

/// Linear springs along the model's edges: U = Σ k/2 (|b| − l0)², force on i: −k (|b| − l0) b̂ with b = x_i − x_j.
/// Values: `stiffness` k [N/m] and `rest_length` l0 [m], one for every spring; l0 = 0 is the spring −k b. With axial
/// stiffness, the value `axial_stiffness` Y [N] replaces k = Y/l0, as for rods of one material and cross-section, so
/// that springs of all lengths can share one number; it requires l0 > 0. Implicit in the IMEX integrators.
class SpringForce final : public ForceWith<StiffPotential> {
 public:
  /// What the stiffness multiplies: a length (k [N/m]) or a strain (Y [N]).
  enum class Form { Length, Strain };

  /// stiffness: k [N/m], or Y [N] with axial stiffness; one for each spring, like the rest lengths [m].
  SpringForce(Vector stiffness, Vector rest_length, Form form = Form::Length)
      : stiffness_(std::move(stiffness)), rest_length_(std::move(rest_length)), form_(form) {}

  Vector stiffness(const Model&) const;    ///< k [N/m] in both forms
  Vector rest_length(const Model&) const;  ///< l0 [m]

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// −scale · ∂²U/∂b² for each spring; `definite`: of a compressed one, the nearest positive semidefinite matrix.
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// A weight scale · k for each spring.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Adds 2 k (l0/l − 1) to both ends of each compressed spring [N/m].
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

 private:
  struct Numbers;
  Numbers numbers(const Model&) const;

  Vector stiffness_, rest_length_;  // initial values; `Model::values()` has the current ones
  Form form_;
  Index stiffness_block_ = 0, rest_length_block_ = 0;
  SpringLoops loops_;
};

/// The model's springs; null if it has none.
const SpringForce* find_springs(const Model&);

/// A cubic term that hardens the model's springs, in addition to `SpringForce`: U = Σ k₃/4 d⁴, force on i: −k₃ d³ b̂
/// with b = x_i − x_j and d = |b| − l0, so that one spring is a Duffing oscillator, k d + k₃ d³. Value:
/// `cubic_stiffness` k₃ ≥ 0 [N/m³], one for every spring; l0 is the value `rest_length` of the springs. Implicit in the
/// IMEX integrators.
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
