#pragma once
#include <Eigen/Core>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// A symmetric 3×3 block: xx, xy, yy, xz, yz, zz.
using SymmetricBlock = Eigen::Matrix<double, 6, 1>;
/// Symmetric 3×3 blocks, one in each column.
using SymmetricBlocks = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// The block of a symmetric matrix.
inline SymmetricBlock symmetric_block(const Mat3& B) { return {B(0, 0), B(1, 0), B(1, 1), B(2, 0), B(2, 1), B(2, 2)}; }

/// a I + c b bᵀ.
inline SymmetricBlock symmetric_block(double a, double c, const Vec3& b) {
  const double x = c * b[0], y = c * b[1], z = c * b[2];
  return {a + x * b[0], x * b[1], a + y * b[1], x * b[2], y * b[2], a + z * b[2]};
}

/// a I.
inline SymmetricBlock symmetric_block(double a) { return {a, 0, a, 0, 0, a}; }

/// The Frobenius norm of a block, squared.
inline double squared_norm(const double* m) {
  return m[0] * m[0] + m[2] * m[2] + m[5] * m[5] + 2 * (m[1] * m[1] + m[3] * m[3] + m[4] * m[4]);
}

/// The inverse of a block, by cofactors.
inline SymmetricBlock inverse(const SymmetricBlock& m) {
  const double xx = m[2] * m[5] - m[4] * m[4], xy = m[3] * m[4] - m[1] * m[5], xz = m[1] * m[4] - m[3] * m[2];
  const SymmetricBlock cofactors{
      xx, xy, m[0] * m[5] - m[3] * m[3], xz, m[1] * m[3] - m[0] * m[4], m[0] * m[2] - m[1] * m[1]};
  return cofactors / (m[0] * xx + m[1] * xy + m[3] * xz);
}

/// Sum of products of symmetric blocks with vectors; in pairs of components, as processors multiply them.
struct BlockSum {
  Eigen::Vector2d top = Eigen::Vector2d::Zero();  ///< its first two components
  double last = 0;                                ///< the third
  /// Adds a block times a vector.
  [[gnu::always_inline]] void add(const double* m, const double* v) {
    using Pair = Eigen::Map<const Eigen::Vector2d>;
    top += Pair(m) * v[0] + Pair(m + 1) * v[1] + Pair(m + 3) * v[2];
    last += m[3] * v[0] + m[4] * v[1] + m[5] * v[2];
  }
  Vec3 result() const { return {top[0], top[1], last}; }  ///< the sum
};

/// A block times a vector.
[[gnu::always_inline]] inline Vec3 multiply_symmetric(const double* m, const Vec3& v) {
  BlockSum sum;
  sum.add(m, v.data());
  return sum.result();
}

}  // namespace pithball::sim
