#pragma once
#include <array>

#include "sim/field/scalar_field.hpp"

namespace pithball::sim {

/// A potential given at the nodes of a regular grid, interpolated by the tensor product of cubic splines:
///    φ(x) = Σ c_ijk β(u − i) β(v − j) β(w − k),  (u, v, w) = (x − o)/Δ,
/// with β the cubic B-spline and c such that φ takes the given values at the nodes (Hou and Andrews 1978; Unser 1999).
/// Twice continuously differentiable; 64 coefficients per evaluation, as for cubic convolution, whose second
/// derivatives jump. φ does not depend on a coordinate with only one node.
class GridField final : public ScalarField {
 public:
  /// counts: nodes along x, y, z, at least 1; origin: the first node [m]; spacing: > 0 [m]; values [V], x running
  /// fastest, one for each node. Throws InvalidArgument otherwise.
  GridField(const std::array<Index, 3>& counts, const Vec3& origin, const Vec3& spacing, const Vector& values);
  /// From rows x, y, z [m], φ [V] in any order, with every node of an equidistant grid exactly once. Throws
  /// InvalidArgument otherwise.
  static GridField from_rows(const Eigen::Matrix<double, Eigen::Dynamic, 4>& rows);

  Jet at(const Vec3& x) const override;  ///< outside the grid extrapolated
  bool contains(const Vec3& x) const override;

 private:
  Index entry(Index i, Index j, Index k) const { return i + padded_[0] * (j + padded_[1] * k); }
  std::array<Index, 3> counts_, padded_;
  Vec3 origin_, spacing_;
  Vector coefficients_;  // padded_[0]·padded_[1]·padded_[2]: one more on each side
};

}  // namespace pithball::sim
