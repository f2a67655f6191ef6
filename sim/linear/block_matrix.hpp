#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/core/particle_graph.hpp"
#include "sim/core/topology.hpp"
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

/// The order in which sweeps over a symmetric matrix visit its free particles, and the matrix's rows in that order. It
/// depends on the graph of its particles and on what is held. They are divided into chunks of two colors, such that no
/// pair joins two chunks of one color: chunks of the same color can be swept at the same time. Within a chunk,
/// neighbors are near each other.
struct SweepOrder {
  static constexpr Index most_chunks = 8;  ///< largest number of chunks
  /// Work of a sweep of one system, as for `parallel_for`. Eight times that of its unit: the first sweep of a solve
  /// wakes threads for all.
  static double work(Index places, Index pairs) {
    return 120 * static_cast<double>(places) + 32 * static_cast<double>(pairs);
  }
  /// `held`: nonzero for particles that are left out.
  SweepOrder(const ParticleGraph& graph, const std::vector<char>& held);

  std::vector<Index> particle;     ///< at each place
  std::vector<Index> chunk_begin;  ///< first place of each chunk, and the number of places
  Index first_color = 0;           ///< number of chunks of the first color, which come first
  /// The pairs of free particles are numbered as the entries of the lower triangle: by the place of the later one, and
  /// then by that of the earlier one. So a sweep over either triangle needs only one copy of their blocks.
  std::vector<Index> lower_begin;          ///< first pair of each row with an earlier place, and the number of pairs
  std::vector<std::int32_t> lower_column;  ///< place of the earlier one of each pair
  std::vector<Index> upper_begin;          ///< first entry of each row's later places, and the number of pairs
  std::vector<std::int32_t> upper_column;  ///< these places, ascending within a row
  std::vector<std::int32_t> upper_pair;    ///< each entry's pair

  Index places() const { return static_cast<Index>(particle.size()); }         ///< number of free particles
  Index pairs() const { return static_cast<Index>(lower_column.size()); }      ///< number of pairs of free particles
  Index chunks() const { return static_cast<Index>(chunk_begin.size()) - 1; }  ///< number of chunks
  /// The number of the kth chunk along the body: the colors alternate.
  Index chunk_along(Index k) const { return k % 2 == 0 ? k / 2 : first_color + k / 2; }
};

/// Where the blocks of a `BlockMatrix` are. Each pair of particles has one, in the row of the *later* of the two; the
/// transpose is not stored. Later means: in the order of sweeps, or by number where one of them is held. Pairs of free
/// particles come first, in the order of sweeps.
struct BlockPattern {
  /// One pair for each spring and each coupling of the topology; springs that join the same two share theirs.
  explicit BlockPattern(const Topology& topology);

  ParticleGraph graph;                    ///< the neighbors of each particle: the columns of its row
  std::vector<char> held;                 ///< nonzero for held particles
  SweepOrder order;                       ///< of the free ones
  std::vector<std::int32_t> pair;         ///< of each entry of the graph
  std::vector<std::int32_t> later;        ///< of each pair: its row
  std::vector<std::int32_t> spring_pair;  ///< of each spring
  bool skew;                              ///< whether blocks have a skew part

  Index particles() const { return graph.particles(); }                     ///< N, held ones included
  Index pair_of(Index i, Index j) const { return pair[graph.find(i, j)]; }  ///< of two neighbors
  /// A pair's skew part is [a]× in the row of the later particle and −[a]× in that of the other. Turns a of the former
  /// into that of row i, and back.
  Vec3 in_row(const Vec3& a, Index i, Index number) const { return later[number] == i ? a : Vec3(-a); }
};

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
