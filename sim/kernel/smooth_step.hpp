#pragma once
// A smooth step from 0 to 1; pure functions, generic in the scalar type.

namespace pithball::sim::kernel {

/// S(u) = u³ (6u² − 15u + 10) between 0 and 1, 0 before and 1 after: twice continuously differentiable, and S(½ + w) +
/// S(½ − w) = 1, so that its integral is that of a jump at u = ½.
template <class T>
T smooth_step(const T& u) {
  if (u <= T(0)) return T(0);
  if (u >= T(1)) return T(1);
  return u * u * u * (u * (u * T(6) - T(15)) + T(10));
}

/// S′(u) = 30 u² (1 − u)² between 0 and 1, 0 elsewhere.
template <class T>
T smooth_step_slope(const T& u) {
  if (u <= T(0) || u >= T(1)) return T(0);
  return T(30) * u * u * (T(1) - u) * (T(1) - u);
}

}  // namespace pithball::sim::kernel
