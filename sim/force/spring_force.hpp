#pragma once
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Linear springs along the model's edges: U = Σ k/2 (|b| − l0)², force on i: −k (|b| − l0) b̂ with b = x_i − x_j.
/// Values: `stiffness` k [N/m] and `rest_length` l0 [m], one of each for every spring; l0 = 0 is the spring −k b.
/// Implicit in the IMEX schemes.
class SpringForce final : public ForceTerm {
 public:
  SpringForce(Vector stiffness, Vector rest_length) : stiffness_(std::move(stiffness)), rest_length_(std::move(rest_length)) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  void add_majoriser(const Model&, double position_scale, double velocity_scale, Majoriser&) const override;
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

 private:
  Vector stiffness_, rest_length_;  // as declared; afterwards the model's values count
  Index stiffness_block_ = 0, rest_length_block_ = 0;
};

}  // namespace pithball::sim
