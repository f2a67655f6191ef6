#pragma once
// Local formulas of a spring and a damper between two points; pure functions, generic in the scalar type, no state.
// Notation: b = x_i − x_j, l = |b|, b̂ = b/l, w = v_i − v_j; forces are those on i (j gets the opposite).

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace pithball::sim::kernel {

/// A vector of numbers of any type, for example dual numbers.
template <class T>
using Vec3T = Eigen::Matrix<T, 3, 1>;
/// A matrix of them.
template <class T>
using Mat3T = Eigen::Matrix<T, 3, 3>;

/// U = k/2 (l − l0)² [J].
template <class T>
T spring_energy(const Vec3T<T>& b, const T& k, const T& l0) {
  using std::sqrt;
  const T stretch = sqrt(b.squaredNorm()) - l0;
  return T(0.5) * k * stretch * stretch;
}

/// f = −k (l − l0) b̂ [N]; with l0 = 0 it is −k b, regular at b = 0.
template <class T>
Vec3T<T> spring_force(const Vec3T<T>& b, const T& k, const T& l0) {
  using std::sqrt;
  if (l0 == T(0)) return -k * b;
  return (-k * (T(1) - l0 / sqrt(b.squaredNorm()))) * b;
}

/// The two numbers of K = ∂²U/∂b² = k [(1 − l0/l) I + (l0/l) b̂ b̂ᵀ] = across I + along b bᵀ.
struct SpringHessian {
  double across,  ///< k (1 − l0/l) [N/m]
      along;      ///< k l0/l³ [N/m³]
  /// With `definite` the transverse part of a compressed spring, across < 0, is cut to 0: the nearest positive
  /// semidefinite matrix.
  SpringHessian(const Eigen::Vector3d& b, double k, double l0, bool definite) : across(k), along(0) {
    if (l0 == 0) return;
    const double squared = b.squaredNorm();
    across *= 1 - l0 / std::sqrt(squared);
    if (definite) across = std::max(0.0, across);
    along = (k - across) / squared;
  }
};

/// U = k₃/4 (l − l0)⁴ [J].
template <class T>
T cubic_spring_energy(const Vec3T<T>& b, const T& k3, const T& l0) {
  using std::sqrt;
  const T stretch = sqrt(b.squaredNorm()) - l0, squared = stretch * stretch;
  return T(0.25) * k3 * squared * squared;
}

/// f = −k₃ (l − l0)³ b̂ [N]; with l0 = 0 it is −k₃ l² b, regular at b = 0.
template <class T>
Vec3T<T> cubic_spring_force(const Vec3T<T>& b, const T& k3, const T& l0) {
  using std::sqrt;
  if (l0 == T(0)) return (-k3 * b.squaredNorm()) * b;
  const T length = sqrt(b.squaredNorm()), stretch = length - l0;
  return (-k3 * stretch * stretch * stretch / length) * b;
}

/// The two numbers of K = ∂²U/∂b² = k₃ d² [d/l (I − b̂ b̂ᵀ) + 3 b̂ b̂ᵀ] = across I + along b bᵀ with d = l − l0.
struct CubicSpringHessian {
  double across = 0,  ///< k₃ d³/l [N/m]; 0 where l = 0 without a rest length
      along = 0;      ///< (3 k₃ d² − across)/l² [N/m³]
  /// With `definite` the transverse part of a compressed spring, across < 0, is cut to 0: the nearest positive
  /// semidefinite matrix.
  CubicSpringHessian(const Eigen::Vector3d& b, double k3, double l0, bool definite) {
    const double squared = b.squaredNorm();
    if (l0 == 0) {
      across = k3 * squared;
      along = 2 * k3;
      return;
    }
    const double length = std::sqrt(squared), stretch = length - l0;
    across = k3 * stretch * stretch * stretch / length;
    if (definite) across = std::max(0.0, across);
    along = (3 * k3 * stretch * stretch - across) / squared;
  }
};

/// K = across I + along b bᵀ [N/m] of one of these Hessians.
template <class Hessian>
Eigen::Matrix3d hessian_matrix(const Hessian& K, const Eigen::Vector3d& b) {
  return K.across * Eigen::Matrix3d::Identity() + K.along * b * b.transpose();
}

/// f = −c (w·b̂) b̂ [N]; 0 where b = 0, because a damper without length has no direction.
template <class T>
[[gnu::always_inline]] inline Vec3T<T> damper_force(const Vec3T<T>& b, const Vec3T<T>& w, const T& c) {
  const T l2 = b.squaredNorm();
  if (l2 == T(0)) return Vec3T<T>::Zero();
  return (-c * w.dot(b) / l2) * b;
}

/// ∂(w·b̂ b̂)/∂b: with f = −c (w·b̂) b̂ the derivative of the force is −c times this matrix [1/m · m/s].
inline Eigen::Matrix3d damper_direction_derivative(const Eigen::Vector3d& b, const Eigen::Vector3d& w) {
  const double l = b.norm();
  if (l == 0) return Eigen::Matrix3d::Zero();
  const Eigen::Vector3d e = b / l;
  const double along = w.dot(e);
  const Eigen::Matrix3d projector = Eigen::Matrix3d::Identity() - e * e.transpose();
  return (e * w.transpose() + along * Eigen::Matrix3d::Identity()) * projector / l;
}

}  // namespace pithball::sim::kernel
