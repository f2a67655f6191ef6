#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "sim/core/spring.hpp"
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Which particles are joined to which others, by springs or other pairs; a pair that is given twice counts once.
class ParticleGraph {
 public:
  /// Of `particles` particles and all pairs of these lists, each of two different particles.
  ParticleGraph(Index particles, std::initializer_list<std::span<const Spring>> pairs);

  Index particles() const { return static_cast<Index>(begin_.size()) - 1; }  ///< N
  Index pairs() const { return static_cast<Index>(neighbor_.size()) / 2; }   ///< number of different pairs
  Index begin(Index i) const { return begin_.data()[i]; }                    ///< first entry of particle i
  Index neighbor(Index entry) const { return neighbor_.data()[entry]; }      ///< ascending for each particle
  Index find(Index i, Index j) const;                                        ///< entry of j, a neighbor of i
  /// First entry of each particle, and the number of entries.
  const std::vector<Index>& begins() const { return begin_; }
  const std::vector<std::int32_t>& neighbors() const { return neighbor_; }  ///< of all particles, in turn
  bool is_alone(Index i) const { return begin(i) == begin(i + 1); }         ///< whether i has no neighbors

 private:
  std::vector<Index> begin_;
  std::vector<std::int32_t> neighbor_;
};

}  // namespace pithball::sim
