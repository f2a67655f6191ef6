#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/core/topology.hpp"
#include "sim/linear/symmetric_block.hpp"

namespace pithball::sim {

struct SweepOrder;

/// Where the blocks of a `BlockMatrix` are.
struct BlockPattern {
  std::vector<Index> row_begin;                           ///< first block of each row, and the number of blocks
  std::vector<Index> column;                              ///< of each block, ascending within a row
  std::vector<Index> diagonal;                            ///< block (i, i)
  std::vector<Index> mirror;                              ///< for block (i,j): index of block (j,i)
  bool skew = false;                                      ///< whether blocks have a skew part
  std::vector<char> held;                                 ///< nonzero for held particles
  std::vector<Index> spring_block;                        ///< of each spring: block (i, j)
  mutable std::once_flag ordered;                         ///< whether the order of sweeps has been found
  mutable std::shared_ptr<const SweepOrder> sweep_order;  ///< null before it is asked for
};

/// A symmetric matrix of 3×3 blocks with the sparsity pattern of the spring graph and of the topology's couplings: one
/// block for each particle and two for each pair. Blocks of springs are symmetric themselves; only with couplings is
/// the skew part of a block stored. Rows and columns of held particles are ignored: products leave them zero. Copies
/// share the pattern.
class BlockMatrix {
 public:
  /// All blocks 0, in the pattern of the topology.
  explicit BlockMatrix(const Topology& topology);
  /// All blocks 0, in a pattern that another matrix has.
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> pattern);
  const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }  ///< where blocks are; to be shared

  Index particles() const { return static_cast<Index>(pattern_->row_begin.size()) - 1; }  ///< N, held ones included
  Index blocks() const { return pattern_->column.size(); }                                ///< number of stored blocks
  std::size_t bytes() const {
    return (entries_.size() + skew_.size()) * sizeof(double);
  }                                       ///< without the shared pattern
  void set_zero();                        ///< keeps the pattern
  void assign(const BlockMatrix& other);  ///< becomes equal to another
  /// Adds a symmetric B to (i,i).
  void add_diagonal(Index i, const Mat3& B) { add(pattern_->diagonal[i], B, 1); }
  /// Adds B to (i,i) and (j,j), and −B to (i,j) and (j,i): the shape of a force between two particles. B symmetric.
  void add_pair(Index i, Index j, const Mat3& B);
  /// Adds a block as `add_pair` does for the ends of a spring of the topology. Springs without a common particle can be
  /// added at the same time.
  void add_spring(Index spring, const AxialBlock& block) {
    const BlockPairs B(block);
    const Index ij = pattern_->spring_block.data()[spring], ji = pattern_->mirror.data()[ij];
    double* m = entries_.data();
    B.add_to(m + 6 * pattern_->diagonal.data()[column(ji)]);
    B.add_to(m + 6 * pattern_->diagonal.data()[column(ij)]);
    B.subtract_from(m + 6 * ij);
    B.subtract_from(m + 6 * ji);
  }
  /// Adds any B to (i,j) and Bᵀ to (j,i), i ≠ j a pair of the topology's couplings.
  void add_coupling(Index i, Index j, const Mat3& B);

  /// out = A in, over free particles; O(blocks).
  void multiply(const Points& in, Points& out) const;
  /// Σ_j |A_ij| in_j over free particles with the Frobenius norms of the blocks, in >= 0: an upper bound of row i of a
  /// product, for any directions. Zero for held particles.
  void multiply_magnitudes(const Vector& in, Vector& out) const;
  /// out_i += Σ_j A_ij in_j from held columns j to free rows i: the effect of moving held particles on the others.
  void add_held_columns(const Points& in, Points& out) const;

  /// Calls body(row, column, block) for all blocks between free particles, row by row, columns ascending.
  template <class Body>
  void for_each_block(Body body) const {
    for (Index i = 0; i < particles(); ++i)
      for (Index k = row_begin(i); k < row_begin(i + 1); ++k)
        if (!is_held(i) && !is_held(column(k))) body(i, column(k), block(k));
  }
  Mat3 diagonal(Index i) const { return block(pattern_->diagonal[i]); }  ///< block (i, i), symmetric
  /// Block (i, i): xx, xy, yy, xz, yz, zz.
  Eigen::Map<const SymmetricBlock> symmetric_diagonal(Index i) const {
    return Eigen::Map<const SymmetricBlock>(symmetric_part(pattern_->diagonal.data()[i]));
  }
  bool is_held(Index i) const { return pattern_->held.data()[i] != 0; }  ///< whether row and column i are ignored

  // The stored blocks, those of held particles included.
  Index row_begin(Index i) const { return pattern_->row_begin.data()[i]; }  ///< first block of row i; columns ascend
  Index column(Index k) const { return pattern_->column.data()[k]; }        ///< of block k
  /// The symmetric part of block k: xx, xy, yy, xz, yz, zz.
  const double* symmetric_part(Index k) const { return entries_.data() + 6 * k; }
  bool has_skew() const { return !skew_.empty(); }  ///< whether blocks have a skew part [a]×
  /// a of block k, if blocks have one.
  const double* skew_part(Index k) const { return skew_.data() + 3 * k; }
  /// The order of sweeps over this pattern; found when first asked for, and shared by all copies.
  std::shared_ptr<const SweepOrder> sweep_order() const;

 private:
  static std::shared_ptr<const BlockPattern> find_pattern(const Topology& topology);
  Mat3 block(Index k) const;
  void add(Index k, const Mat3& B, double sign);
  void add_skew(Index k, const Vec3& a);
  Vec3 skew(Index k) const { return Eigen::Map<const Vec3>(skew_.data() + 3 * k); }
  /// Calls body(begin, end) for parts of the rows, on several threads if that pays for `block_work`, in the unit of
  /// `parallel_for`.
  template <class Body>
  void for_rows(double block_work, const Body& body) const;
  Index find(Index i, Index j) const;

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<double> entries_;  // 6 for each block: xx, xy, yy, xz, yz, zz; products are limited by memory
  std::vector<double> skew_;     // 3 for each block, a of its skew part [a]×; empty without couplings
};

}  // namespace pithball::sim
