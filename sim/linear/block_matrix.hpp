#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

struct Topology;

/// A symmetric matrix of 3×3 blocks with the sparsity pattern of the spring graph and of the topology's couplings: one
/// block for each particle and two for each pair. Blocks of springs are symmetric themselves; only with couplings is
/// the skew part of a block stored. Rows and columns of held particles are ignored: products leave them zero. Copies
/// share the pattern.
class BlockMatrix {
 public:
  /// All blocks 0, in the pattern of the topology.
  explicit BlockMatrix(const Topology& topology);

  Index particles() const { return static_cast<Index>(pattern_->row_begin.size()) - 1; }  ///< N, held ones included
  Index blocks() const { return pattern_->column.size(); }                                ///< number of stored blocks
  std::size_t bytes() const {
    return (entries_.size() + skew_.size()) * sizeof(double);
  }                 ///< without the shared pattern
  void set_zero();  ///< keeps the pattern
  /// Adds a symmetric B to (i,i).
  void add_diagonal(Index i, const Mat3& B) { add(pattern_->diagonal[i], B, 1); }
  /// Adds B to (i,i) and (j,j), and −B to (i,j) and (j,i): the shape of a force between two particles. B symmetric.
  void add_pair(Index i, Index j, const Mat3& B);
  /// Adds any B to (i,j) and Bᵀ to (j,i), i ≠ j a pair of the topology's couplings.
  void add_coupling(Index i, Index j, const Mat3& B);

  /// out = A in, over free particles; O(blocks).
  void multiply(const Points& in, Points& out) const;
  /// Σ_j |A_ij| in_j over free particles with the Frobenius norms of the blocks, in >= 0: an upper bound of row i of a
  /// product, for any directions. Zero for held particles.
  Vector multiply_magnitudes(const Vector& in) const;
  /// out_i += Σ_j A_ij in_j from held columns j to free rows i: the effect of moving held particles on the others.
  void add_held_columns(const Points& in, Points& out) const;

  /// Calls body(row, column, block) for all blocks between free particles, row by row, columns ascending.
  template <class Body>
  void for_each_block(Body body) const {
    for (Index i = 0; i < particles(); ++i)
      for (Index k = begin(i); k < begin(i + 1); ++k)
        if (!is_held(i) && !is_held(column(k))) body(i, column(k), block(k));
  }
  Mat3 diagonal(Index i) const { return block(pattern_->diagonal[i]); }  ///< block (i, i), symmetric
  bool is_held(Index i) const { return pattern_->held[i] != 0; }         ///< whether row and column i are ignored

 private:
  struct Pattern {
    std::vector<Index> row_begin, column, diagonal;
    std::vector<Index> mirror;  // for block (i,j): index of block (j,i)
    std::vector<char> held;
  };
  static std::shared_ptr<const Pattern> find_pattern(const Topology& topology);
  Index begin(Index i) const { return pattern_->row_begin[i]; }
  Index column(Index k) const { return pattern_->column[k]; }
  Mat3 block(Index k) const;
  void add(Index k, const Mat3& B, double sign);
  void add_skew(Index k, const Vec3& a);
  Vec3 skew(Index k) const { return Eigen::Map<const Vec3>(skew_.data() + 3 * k); }
  void multiply_skew(const Points& in, Points& out) const;
  Index find(Index i, Index j) const;

  std::shared_ptr<const Pattern> pattern_;
  std::vector<double> entries_;  // 6 for each block: xx, xy, yy, xz, yz, zz; products are limited by memory
  std::vector<double> skew_;     // 3 for each block, a of its skew part [a]×; empty without couplings
};

}  // namespace pithball::sim
