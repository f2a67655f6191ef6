#pragma once
#include <vector>

#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// The exact flow of m dv/dt = F(x, v, t) over a time h at fixed x and t, for a force that is linear in v and couples
/// the velocities of several particles: v ← e^{hA} v with A = M⁻¹ ∂F/∂v, by its Taylor series
///   e^{τA} v = Σ_k T_k,   T_0 = v,   T_{k+1} = τ/(k + 1) A T_k,
/// in parts τ = h/n with τ |A| ≤ 1; the truncation error is then below rounding. Derivatives are those of the series.
/// Held particles keep their velocity.
class LinearFlow {
 public:
  /// rate ≥ |A| [1/s] in the largest-row norm. The arguments must outlive this object; the flow begins at the state's
  /// v.
  LinearFlow(const ForceTerm& term, const Model& model, const State& s, double h, double rate);

  /// v ← flow(v).
  void advance(Points& v) const;
  /// J += ∫F dt [N s] over the flow from the state's v, including held particles.
  void add_impulse(Points& J) const;
  /// dv ← derivative of the flow's result in direction d, from the state's v.
  void jvp(const Variation& d, Points& dv) const;
  /// For a = ∂L/∂(result), adds ∂L/∂x and ∂L/∂values to g and replaces g.v by ∂L/∂(v before the flow).
  void vjp(const Points& a, Variation& g) const;

 private:
  static constexpr int terms = 19;             // 1/20! = 4e-19
  static constexpr double negligible = 1e-19;  // of |v|: smaller terms of a sum are lost in rounding

  /// T_0 … T_terms from v = T_0, or up to the first term smaller than `enough`.
  std::vector<Points> series(const Points& v, double enough = 0) const;
  /// M⁻¹ f, 0 for held particles.
  Points accelerations(Points f) const;

  const ForceTerm& term_;
  const Model& model_;
  const State& state_;
  long parts_;
  double tau_;  // [s]
};

}  // namespace pithball::sim
