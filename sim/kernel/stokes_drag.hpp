#pragma once
// Local formulas of the drag of a small sphere; pure functions, generic in the scalar type.

#include <numbers>

namespace pithball::sim::kernel {

/// r/(r + A): the part of Stokes' drag that is left where the medium slips along a sphere of radius r [m]; A ≥ 0 [m].
/// It is 1 for A = 0, also at r = 0.
template <class T>
T slip_share(const T& r, const T& A) {
  if (r == T(0) && A == T(0)) return T(1);
  return r / (r + A);
}

/// c = 6π η r/(1 + A/r) [kg/s]: Stokes' drag with Cunningham's correction (Proc. R. Soc. A 83, 1910), η in Pa s.
template <class T>
T stokes_coefficient(const T& r, const T& eta, const T& A) {
  return T(6 * std::numbers::pi) * eta * r * slip_share(r, A);
}

}  // namespace pithball::sim::kernel
