#pragma once
// Local formulas of quadratic drag; pure functions, generic in the scalar type. w = v − u is the velocity relative to
// the wind u.

#include <Eigen/Core>
#include <cmath>

namespace pithball::sim::kernel {

/// f = −c₂ |w| w [N], c₂ in kg/m.
template <class T>
Eigen::Matrix<T, 3, 1> quadratic_drag_force(const Eigen::Matrix<T, 3, 1>& w, const T& c2) {
  using std::sqrt;
  const T w2 = w.squaredNorm();
  if (w2 == T(0)) return Eigen::Matrix<T, 3, 1>::Zero();
  return (-c2 * sqrt(w2)) * w;
}

/// ∂(|w| w)/∂w = |w| I + w wᵀ/|w|.
inline Eigen::Matrix3d quadratic_drag_jacobian(const Eigen::Vector3d& w) {
  const double s = w.norm();
  if (s == 0) return Eigen::Matrix3d::Zero();
  return s * Eigen::Matrix3d::Identity() + w * w.transpose() / s;
}

/// Exact flow of m dw/dt = −c₂ |w| w over the time h: w ← w / (1 + (c₂/m) |w| h), with β = c₂ h / m [s/m].
template <class T>
Eigen::Matrix<T, 3, 1> quadratic_drag_flow(const Eigen::Matrix<T, 3, 1>& w, const T& beta) {
  using std::sqrt;
  const T w2 = w.squaredNorm();
  if (w2 == T(0)) return w;
  return w / (T(1) + beta * sqrt(w2));
}

}  // namespace pithball::sim::kernel
