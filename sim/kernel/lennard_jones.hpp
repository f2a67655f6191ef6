#pragma once
// The Lennard-Jones law for two particles; pure functions of q = r² [m²], generic in the scalar type, no state.

namespace pithball::sim::kernel {

/// U = 4ε [(σ/r)¹² − (σ/r)⁶] [J].
template <class T>
T lennard_jones_energy(const T& q, const T& epsilon, const T& sigma) {
  const T s2 = sigma * sigma / q, s6 = s2 * s2 * s2;
  return T(4) * epsilon * (s6 * s6 - s6);
}

/// c = −U'(r)/r = 24ε [2 (σ/r)¹² − (σ/r)⁶]/r² [N/m]: the force on i is c (x_i − x_j).
template <class T>
T lennard_jones_push(const T& q, const T& epsilon, const T& sigma) {
  const T inverse = T(1) / q, s2 = sigma * sigma * inverse, s6 = s2 * s2 * s2;
  return T(24) * epsilon * (T(2) * s6 * s6 - s6) * inverse;
}

/// c'(r)/r = 24ε [8 (σ/r)⁶ − 28 (σ/r)¹²]/r⁴ [N/m³].
template <class T>
T lennard_jones_push_slope(const T& q, const T& epsilon, const T& sigma) {
  const T inverse = T(1) / q, s2 = sigma * sigma * inverse, s6 = s2 * s2 * s2;
  return T(24) * epsilon * (T(8) * s6 - T(28) * s6 * s6) * inverse * inverse;
}

/// ∂c/∂σ = 24ε [24 (σ/r)¹² − 6 (σ/r)⁶]/(r² σ) [N/m²].
template <class T>
T lennard_jones_push_by_distance(const T& q, const T& epsilon, const T& sigma) {
  const T inverse = T(1) / q, s2 = sigma * sigma * inverse, s6 = s2 * s2 * s2;
  return T(24) * epsilon * (T(24) * s6 * s6 - T(6) * s6) * inverse / sigma;
}

}  // namespace pithball::sim::kernel
