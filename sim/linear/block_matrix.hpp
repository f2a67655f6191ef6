#pragma once
#include <cstddef>
#include <memory>

#include "sim/linear/block_pattern.hpp"
#include "sim/linear/symmetric_block.hpp"

namespace pithball::sim {

/// A symmetric matrix of 3×3 blocks with the sparsity pattern of the spring graph and of the topology's couplings: one
/// block for each particle and two for each pair, of which one is stored. Blocks of springs are symmetric themselves;
/// only with couplings is the skew part of a block stored. Rows and columns of held particles are ignored: products
/// leave them zero. Copies share the pattern.
class BlockMatrix {
 public:
  /// All blocks 0, in the pattern of the topology.
  explicit BlockMatrix(const Topology& topology) : BlockMatrix(std::make_shared<const BlockPattern>(topology)) {}
  /// All blocks 0, in a pattern that another matrix has.
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> pattern);
  const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }  ///< where blocks are; to be shared

  Index particles() const { return pattern_->particles(); }                   ///< N, held ones included
  Index blocks() const { return particles() + 2 * pattern_->graph.pairs(); }  ///< number of blocks
  std::size_t bytes() const {
    return static_cast<std::size_t>(diagonal_.size() + pairs_.size() + skew_.size()) * sizeof(double);
  }                                       ///< without the shared pattern
  void set_zero();                        ///< keeps the pattern
  void assign(const BlockMatrix& other);  ///< becomes equal to another
  /// Adds a symmetric B to (i,i).
  void add_diagonal(Index i, const Mat3& B) { add(diagonal_.data() + 6 * i, B, 1); }
  /// Adds B to (i,i) and (j,j), and −B to (i,j) and (j,i): the shape of a force between two particles. B symmetric.
  void add_pair(Index i, Index j, const Mat3& B);
  /// Adds a block as `add_pair` does for a spring of the topology between particles i and j. Springs without a common
  /// particle can be added at the same time.
  void add_spring(Index spring, Index i, Index j, const AxialBlock& block) {
    const BlockPairs B(block);
    B.add_to(diagonal_.data() + 6 * i);
    B.add_to(diagonal_.data() + 6 * j);
    B.subtract_from(pairs_.data() + 6 * static_cast<Index>(pattern_->spring_pair.data()[spring]));
  }
  /// Adds any B to (i,j) and Bᵀ to (j,i), i ≠ j a pair of the topology's couplings.
  void add_coupling(Index i, Index j, const Mat3& B);

  /// out = A in, over free particles; O(blocks).
  void multiply(const Points& in, Points& out) const;
  /// Σ_j |A_ij| in_j over free particles with the Frobenius norms of the blocks, in >= 0: an upper bound of row i of a
  /// product, for any directions. Zero for held particles.
  void multiply_magnitudes(const Vector& in, Vector& out) const;

  /// Calls body(row, column, block) for all blocks between free particles, row by row, columns ascending.
  template <class Body>
  void for_each_block(Body body) const {
    for (Index i = 0; i < particles(); ++i) {
      if (is_held(i)) continue;
      Index k = pattern_->graph.begin(i);
      const Index end = pattern_->graph.begin(i + 1);
      const auto visit_before = [&](Index limit) {
        for (; k < end && pattern_->graph.neighbor(k) < limit; ++k)
          if (const Index j = pattern_->graph.neighbor(k); !is_held(j)) body(i, j, block(i, k));
      };
      visit_before(i);
      body(i, i, diagonal(i));
      visit_before(particles());
    }
  }
  Mat3 diagonal(Index i) const;  ///< block (i, i), symmetric
  /// Block (i, i): xx, xy, yy, xz, yz, zz.
  Eigen::Map<const SymmetricBlock> symmetric_diagonal(Index i) const {
    return Eigen::Map<const SymmetricBlock>(diagonal_.data() + 6 * i);
  }
  bool is_held(Index i) const { return pattern_->held.data()[i] != 0; }  ///< whether row and column i are ignored

  /// The symmetric part of each pair's block: xx, xy, yy, xz, yz, zz.
  const double* symmetric_parts() const { return pairs_.data(); }
  /// a of the skew part [a]× of each pair's block; null if blocks have none.
  const double* skew_parts() const { return skew_.size() == 0 ? nullptr : skew_.data(); }

 private:
  /// The block of an entry of row i of the graph.
  Mat3 block(Index i, Index entry) const;
  static void add(double* m, const Mat3& B, double sign);
  /// a of the block in row i.
  Vec3 skew(Index i, Index pair) const {
    return pattern_->in_row(Eigen::Map<const Vec3>(skew_.data() + 3 * pair), i, pair);
  }
  /// Calls body(begin, end) for parts of the rows, on several threads if that pays for `block_work`, in the unit of
  /// `parallel_for`.
  template <class Body>
  void for_rows(double block_work, const Body& body) const;
  /// Calls body(begin, end) for parts of the pairs of free particles, likewise.
  template <class Body>
  void for_free_pairs(double block_work, const Body& body) const;
  /// Calls body(array, begin, end) for parts of all arrays, with pointers to these members, likewise.
  template <class Body>
  void for_numbers(const Body& body) const;

  std::shared_ptr<const BlockPattern> pattern_;
  Vector diagonal_;  // 6 for each particle: xx, xy, yy, xz, yz, zz; products are limited by memory
  Vector pairs_;     // 6 for each pair
  Vector skew_;      // 3 for each pair, a of its skew part [a]×; empty without couplings
};

}  // namespace pithball::sim
