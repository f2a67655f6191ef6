#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/topology.hpp"
#include "sim/linear/sweep_order.hpp"

namespace pithball::sim {

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

}  // namespace pithball::sim
