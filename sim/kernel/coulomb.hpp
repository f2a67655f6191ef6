#pragma once
// Coulomb's law for one pair, generic in the scalar type (double, long double, ceres::Jet): the reference for faster
// code. r = x_i − x_j; ρ² = |r|² + ε² (Plummer softening; ε = 0: none). Results exclude the constant k_c.

#include <Eigen/Core>
#include <cmath>

namespace pithball::sim::kernel {

/// A vector of numbers of any type, for example dual numbers.
template <class Scalar>
using Vec3T = Eigen::Matrix<Scalar, 3, 1>;

/// ρ = √(|r|² + ε²) [m].
template <class Scalar>
Scalar softened_distance(const Vec3T<Scalar>& r, double softening) {
  using std::sqrt;
  return sqrt(r.squaredNorm() + Scalar(softening) * Scalar(softening));
}

/// U/k_c = q_i q_j / ρ [C²/m].
template <class Scalar>
Scalar coulomb_energy(const Scalar& qi, const Scalar& qj, const Vec3T<Scalar>& r, double softening = 0) {
  return qi * qj / softened_distance(r, softening);
}

/// Force on i over k_c, −∂U/∂x_i = q_i q_j r/ρ³ [C²/m²]; j gets the opposite.
template <class Scalar>
Vec3T<Scalar> coulomb_force(const Scalar& qi, const Scalar& qj, const Vec3T<Scalar>& r, double softening = 0) {
  const Scalar rho = softened_distance(r, softening);
  return r * (qi * qj / (rho * rho * rho));
}

/// Potential over k_c of the dipole p at distance r from it, p·r/ρ³ [C/m].
template <class Scalar>
Scalar dipole_potential(const Vec3T<Scalar>& p, const Vec3T<Scalar>& r, double softening = 0) {
  const Scalar rho = softened_distance(r, softening);
  return p.dot(r) / (rho * rho * rho);
}

/// Field over k_c of the dipole p at distance r from it, 3 (p·r) r/ρ⁵ − p/ρ³ [C/m²].
template <class Scalar>
Vec3T<Scalar> dipole_field(const Vec3T<Scalar>& p, const Vec3T<Scalar>& r, double softening = 0) {
  const Scalar rho = softened_distance(r, softening), rho3 = rho * rho * rho;
  return r * (Scalar(3) * p.dot(r) / (rho3 * rho * rho)) - p / rho3;
}

/// Change of `dipole_field` when r changes by d: 3 [(p·d) r + (p·r) d + (r·d) p]/ρ⁵ − 15 (p·r) (r·d) r/ρ⁷.
template <class Scalar>
Vec3T<Scalar> dipole_field_change(const Vec3T<Scalar>& p, const Vec3T<Scalar>& r, const Vec3T<Scalar>& d,
                                  double softening = 0) {
  const Scalar rho = softened_distance(r, softening), rho2 = rho * rho, three_rho5 = Scalar(3) / (rho2 * rho2 * rho);
  const Scalar pr = p.dot(r), rd = r.dot(d);
  return (r * (p.dot(d) - Scalar(5) * pr * rd / rho2) + d * pr + p * rd) * three_rho5;
}

/// Change of `coulomb_force` when r changes by d: q_i q_j [d/ρ³ − 3 (r·d) r/ρ⁵].
template <class Scalar>
Vec3T<Scalar> coulomb_force_change(const Scalar& qi, const Scalar& qj, const Vec3T<Scalar>& r, const Vec3T<Scalar>& d,
                                   double softening = 0) {
  const Scalar rho = softened_distance(r, softening), rho3 = rho * rho * rho;
  return (d / rho3 - r * (Scalar(3) * r.dot(d) / (rho3 * rho * rho))) * (qi * qj);
}

}  // namespace pithball::sim::kernel
