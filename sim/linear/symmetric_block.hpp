#pragma once
#include <Eigen/Core>
#include <cstring>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// A symmetric 3×3 block: xx, xy, yy, xz, yz, zz.
using SymmetricBlock = Eigen::Matrix<double, 6, 1>;
/// Symmetric 3×3 blocks, one in each column.
using SymmetricBlocks = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// The block of a symmetric matrix.
inline SymmetricBlock symmetric_block(const Mat3& B) { return {B(0, 0), B(1, 0), B(1, 1), B(2, 0), B(2, 1), B(2, 2)}; }

/// The block across I + along b bᵀ, as of a spring of direction b.
struct AxialBlock {
  double across;  ///< factor of I
  double along;   ///< factor of b bᵀ
  Vec3 b;         ///< the direction, of any length
};

/// A symmetric block in pairs of its numbers, as processors add them.
class BlockPairs {
 public:
  /// B, in pairs.
  explicit BlockPairs(const AxialBlock& B)
      : pairs_{Pair{B.across, 0} + B.along * B.b[0] * Pair{B.b[0], B.b[1]},
               Pair{B.across, 0} + B.along * Pair{B.b[1], B.b[0]} * Pair{B.b[1], B.b[2]},
               Pair{0, B.across} + B.along * B.b[2] * Pair{B.b[1], B.b[2]}} {}
  void add_to(double* m) const {  ///< m += B
    for (int k = 0; k < 3; ++k) store(load(m + 2 * k) + pairs_[k], m + 2 * k);
  }
  void subtract_from(double* m) const {  ///< m −= B
    for (int k = 0; k < 3; ++k) store(load(m + 2 * k) - pairs_[k], m + 2 * k);
  }

 private:
  using Pair = double __attribute__((vector_size(16)));
  static Pair load(const double* m) {
    Pair pair;
    std::memcpy(&pair, m, sizeof(pair));
    return pair;
  }
  static void store(const Pair& pair, double* m) { std::memcpy(m, &pair, sizeof(pair)); }

  Pair pairs_[3];  // (xx, xy), (yy, xz), (yz, zz)
};

/// The Frobenius norm of a block minus a I, squared.
inline double squared_norm(const double* m, double a = 0) {
  const double xx = m[0] - a, yy = m[2] - a, zz = m[5] - a;
  return xx * xx + yy * yy + zz * zz + 2 * (m[1] * m[1] + m[3] * m[3] + m[4] * m[4]);
}

/// The cofactors of a block, which make its determinant and its inverse.
inline SymmetricBlock cofactors(const SymmetricBlock& m) {
  return {m[2] * m[5] - m[4] * m[4], m[3] * m[4] - m[1] * m[5], m[0] * m[5] - m[3] * m[3],
          m[1] * m[4] - m[3] * m[2], m[1] * m[3] - m[0] * m[4], m[0] * m[2] - m[1] * m[1]};
}
/// The determinant of a block with these cofactors.
inline double determinant(const SymmetricBlock& m, const SymmetricBlock& cofactors) {
  return m[0] * cofactors[0] + m[1] * cofactors[1] + m[3] * cofactors[3];
}

/// The inverse of a block, by cofactors.
inline SymmetricBlock inverse(const SymmetricBlock& m) {
  const SymmetricBlock of = cofactors(m);
  return of / determinant(m, of);
}

/// A block times a vector; in pairs of components, as processors multiply them.
[[gnu::always_inline]] inline Vec3 multiply_symmetric(const double* m, const Vec3& v) {
  using Pair = Eigen::Map<const Eigen::Vector2d>;
  const Eigen::Vector2d top = Pair(m) * v[0] + Pair(m + 1) * v[1] + Pair(m + 3) * v[2];
  return {top[0], top[1], m[3] * v[0] + m[4] * v[1] + m[5] * v[2]};
}

}  // namespace pithball::sim
