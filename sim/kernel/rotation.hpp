#pragma once
// The rotation R(φ) by the angle |φ| about φ (Rodrigues 1840), and its derivative with respect to the rotation vector φ
// [rad].

#include <Eigen/Geometry>
#include <cmath>

namespace pithball::sim::kernel {

/// [w]×: the matrix of u ↦ w × u.
inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& w) {
  return (Eigen::Matrix3d() << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0).finished();
}

/// sin θ/θ.
inline double sine_ratio(double angle) { return angle < 1e-4 ? 1 - angle * angle / 6 : std::sin(angle) / angle; }

/// (1 − cos θ)/θ², as ½ (sin(θ/2)/(θ/2))² without cancellation.
inline double cosine_ratio(double angle) { return 0.5 * std::pow(sine_ratio(angle / 2), 2); }

/// (θ − sin θ)/θ³; its series below 0.1, where the difference would lose digits and the first term left out is 1e-18.
inline double cubic_ratio(double angle) {
  const double s = angle * angle;
  if (angle < 0.1) return 1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880 - s / 39916800)));
  return (angle - std::sin(angle)) / (s * angle);
}

/// R(φ) v = v + (sin θ/θ) φ×v + ((1 − cos θ)/θ²) φ×(φ×v), θ = |φ|.
inline Eigen::Vector3d rotate(const Eigen::Vector3d& phi, const Eigen::Vector3d& v) {
  const double angle = phi.norm();
  const Eigen::Vector3d across = phi.cross(v);
  return v + sine_ratio(angle) * across + cosine_ratio(angle) * phi.cross(across);
}

/// J(φ) δφ, the rotation by which R(φ + δφ) differs from R(φ): δ(R v) = (J δφ) × (R v). Jᵀ is J(−φ).
inline Eigen::Vector3d turn_by_change(const Eigen::Vector3d& phi, const Eigen::Vector3d& change) {
  const double angle = phi.norm();
  const Eigen::Vector3d across = phi.cross(change);
  return change + cosine_ratio(angle) * across + cubic_ratio(angle) * phi.cross(across);
}

}  // namespace pithball::sim::kernel
