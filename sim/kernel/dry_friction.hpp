#pragma once
// Local formulas of smoothed dry friction; pure functions, generic in the scalar type. a = |v|/s is the speed in units
// of the speed s below which friction is smoothed.

#include <cmath>

namespace pithball::sim::kernel {

/// The flow of da/dt = −tanh a over the dimensionless time b ≥ 0: sinh a′ = e^{−b} sinh a. Its derivatives are
/// ∂a′/∂a = tanh a′/tanh a and ∂a′/∂b = −tanh a′.
template <class T>
T dry_friction_flow(const T& a, const T& b) {
  using std::asinh;
  using std::exp;
  using std::log;
  using std::sinh;
  // sinh overflows beyond 710; beyond 20 it equals e^{a}/2 up to rounding.
  if (a > T(20) && a - b > T(20)) return a - b;
  if (a > T(20)) return asinh(exp(a - b) / T(2));
  return asinh(exp(-b) * sinh(a));
}

}  // namespace pithball::sim::kernel
