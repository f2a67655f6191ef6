#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/topology.hpp"

namespace pithball::sim {

/// The springs in two passes of chunks, such that no two chunks of one pass have a particle in common: those of a pass
/// may change what belongs to their particles at the same time. They depend on the spring graph alone, so that they
/// stay valid where particles without springs come and go.
///
/// The particles are divided into ranges of two or more successive levels of the body (`GraphLevels`). The first pass
/// has the springs inside each range, the second those from each range to the next.
class SpringChunks {
 public:
  /// Of all springs.
  explicit SpringChunks(const Topology& topology);

  /// Chunks first_chunk(pass) <= k < first_chunk(pass + 1) belong to the pass, 0 or 1; as many to each.
  Index first_chunk(int pass) const { return pass * chunks() / 2; }
  Index chunks() const { return static_cast<Index>(begin_.size()) - 1; }  ///< of both passes
  Index springs() const { return begin_.back(); }                         ///< of both passes
  /// Calls visit(e) for each spring e of a chunk, by the smaller number of its particles.
  template <class Visit>
  void for_each(Index chunk, const Visit& visit) const {
    for (Index k = begin_[chunk], end = begin_[chunk + 1]; k < end; ++k) visit(static_cast<Index>(spring_.data()[k]));
  }

 private:
  std::vector<Index> begin_;          // first place of each chunk, and the number of springs
  std::vector<std::int32_t> spring_;  // chunk by chunk
};

}  // namespace pithball::sim
