#pragma once
// Depth of a contact that begins smoothly; pure functions, generic in the scalar type.

namespace pithball::sim::kernel {

/// δ(d) of the depth d < 0 before and d > 0 after the touch, with its derivatives: the mean of max(d + z, 0) over
/// shifts z with the density (315/256) (1 − (z/w)²)⁴/w in (−w, w). Zero for d ≤ −w, d for d ≥ w, and in C⁵ in between.
/// With U = k δ²/2 and a damper c δ′ a particle loses the same energy, and has the same impulse across, as without
/// smoothing, up to terms of second order in c: as a function of δ its speed is the same.
template <class T>
struct SmoothedDepth {
  T depth;  ///< δ ≥ 0 [m]
  T share;  ///< δ′, from 0 to 1
  T bend;   ///< δ″ [1/m]

  /// (δ²/2)′ = δ δ′ [m]: the force of a unit stiffness.
  T push() const { return depth * share; }
  /// (δ²/2)″ = δ′² + δ δ″, from 0 to `largest_slope`: its derivative.
  T slope() const { return share * share + depth * bend; }
};

/// Upper bound of `SmoothedDepth::slope` with a smoothing.
inline constexpr double largest_slope = 1.2;

/// With u = (1 + d/w)/2: δ = w u⁶ (42 − 120 u + 135 u² − 70 u³ + 14 u⁴). w ≥ 0 [m]; for w = 0 it is max(d, 0).
template <class T>
SmoothedDepth<T> smoothed_depth(const T& d, double w) {
  if (d >= T(w)) return {d, T(1), T(0)};
  if (d <= T(-w)) return {T(0), T(0), T(0)};
  const T u = (T(1) + d / T(w)) / T(2), u2 = u * u, u4 = u2 * u2, rest2 = (T(1) - u) * (T(1) - u);
  return {T(w) * u4 * u2 * (T(42) + u * (T(-120) + u * (T(135) + u * (T(-70) + T(14) * u)))),
          u4 * u * (T(126) + u * (T(-420) + u * (T(540) + u * (T(-315) + T(70) * u)))),
          T(315) / T(w) * u4 * rest2 * rest2};
}

}  // namespace pithball::sim::kernel
