#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/particle_graph.hpp"

namespace pithball::sim {

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

}  // namespace pithball::sim
