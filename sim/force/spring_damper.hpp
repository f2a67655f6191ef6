#pragma once
#include "sim/force/force_term.hpp"
#include "sim/force/spring_loops.hpp"

namespace pithball::sim {

/// Dampers along the model's springs: force on i −c ((v_i − v_j)·b̂) b̂. Value: `damping` c [N s/m], one for every
/// spring. Those of rods of one viscosity follow the rest lengths: c = `damping` l/l0, where l is the length at which
/// `damping` holds and l0 the value `rest_length`. Implicit in the IMEX integrators, with lagged directions b̂.
class SpringDamper final : public ForceWith<LinearDissipation> {
 public:
  /// Initial c ≥ 0 [N s/m], one for each spring of the model.
  explicit SpringDamper(Vector damping) : damping_(std::move(damping)) {}
  /// Dampers of rods, with the lengths l > 0 at which c holds [m]; the springs (`SpringForce`) are declared before.
  SpringDamper(Vector damping, Vector length) : damping_(std::move(damping)), length_(std::move(length)) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// R = Σ c/2 ((v_i − v_j)·b̂)² over the springs [W].
  double dissipation(const Model&, const State&) const override;
  /// −scale · c b̂ b̂ᵀ for each spring, none for a spring of length 0.
  void add_velocity_blocks(const Model&, const State&, double scale, BlockMatrix& J) const override;
  /// A weight scale · c for each spring.
  void add_damping_majorizer(const Model&, double scale, Majorizer& L) const override;

 private:
  struct Numbers;
  Numbers numbers(const Model&) const;

  Vector damping_;  // initial values; `Model::values()` has the current ones
  Vector length_;   // of rods; else empty
  Index block_ = 0, rest_length_block_ = 0;
  SpringLoops loops_;
};

}  // namespace pithball::sim
