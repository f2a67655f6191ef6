#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

class BlockMatrix;

/// The order in which sweeps over a BlockMatrix visit its free particles, and its rows in that order. It depends on the
/// sparsity pattern alone. The particles are divided into chunks of two colors, such that no block joins two chunks of
/// one color: chunks of the same color can be swept at the same time. Within a chunk, neighbors are near each other.
struct SweepOrder {
  static constexpr Index most_chunks = 8;  ///< largest number of chunks
  /// Of a matrix with that pattern.
  explicit SweepOrder(const BlockMatrix& A);

  std::vector<Index> particle;     ///< at each place
  std::vector<Index> chunk_begin;  ///< first place of each chunk, and the number of places
  Index first_color = 0;           ///< number of chunks of the first color, which come first
  /// Off-diagonal entries of the lower triangle, row by row, and after them those of the upper one: a sweep reads one
  /// triangle from end to end.
  std::vector<std::int32_t> column;  ///< place of each entry's column, ascending within a row
  std::vector<Index> block;          ///< each entry's block in the matrix
  std::vector<Index> lower_begin;    ///< first entry of each row with an earlier place, and the end of the last row
  std::vector<Index> upper_begin;    ///< the same for later places

  Index places() const { return static_cast<Index>(particle.size()); }         ///< number of free particles
  Index chunks() const { return static_cast<Index>(chunk_begin.size()) - 1; }  ///< number of chunks
};

}  // namespace pithball::sim
