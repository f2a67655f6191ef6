#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "sim/core/spring.hpp"
#include "sim/core/topology.hpp"
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Which particles are joined to which others, by springs or other pairs; a pair that is given twice counts once.
class ParticleGraph {
 public:
  /// The graph of `particles` particles and all pairs of these lists, each of two different particles.
  ParticleGraph(Index particles, std::initializer_list<std::span<const Spring>> pairs);

  Index particles() const { return static_cast<Index>(begin_.size()) - 1; }  ///< N
  Index pairs() const { return static_cast<Index>(neighbor_.size()) / 2; }   ///< number of different pairs
  Index begin(Index i) const { return begin_.data()[i]; }                    ///< first entry of particle i
  Index neighbor(Index entry) const { return neighbor_.data()[entry]; }      ///< ascending for each particle
  Index find(Index i, Index j) const;                                        ///< entry of j, a neighbor of i
  /// First entry of each particle, and the number of entries.
  const std::vector<Index>& begins() const { return begin_; }
  const std::vector<std::int32_t>& neighbors() const { return neighbor_; }  ///< of all particles, one after the other
  bool is_alone(Index i) const { return begin(i) == begin(i + 1); }         ///< whether i has no neighbors

 private:
  std::vector<Index> begin_;
  std::vector<std::int32_t> neighbor_;
};

/// The particles of a graph in levels: by their distance from one end of it, counted in edges, or by successive
/// numbers. Edges join only particles of the same level or of successive ones. So a body is divided into ranges that
/// only touch the next ones.
struct GraphLevels {
  std::vector<Index> particle;  ///< level by level; parts that are not connected follow each other
  std::vector<Index> begin;     ///< first place of each level, and the number of particles

  /// From an end of the graph, so that there are many levels of few particles (Gibbs, Poole and Stockmeyer 1976).
  /// Where the particles' own numbers have at least half as many levels, these are kept: loops over particles and over
  /// what joins them then share the work alike. Particles i with left_out(i) are ignored.
  template <class LeftOut>
  static GraphLevels along(const ParticleGraph& graph, const LeftOut& left_out) {
    GraphLevels levels = from(0, graph, left_out);
    for (int k = 0; k < 2 && !levels.particle.empty(); ++k) levels = from(levels.particle.back(), graph, left_out);
    GraphLevels numbered = by_number(graph, left_out);
    return 2 * numbered.begin.size() >= levels.begin.size() ? numbered : levels;
  }

  /// Ends of ranges of at least `least_levels` levels, each at the level nearest to the end of one of equal ranges; the
  /// last may have fewer levels.
  std::vector<Index> divide(Index ranges, Index least_levels) const {
    std::vector<Index> ends;
    const Index n = static_cast<Index>(particle.size());
    Index levels = 0;
    for (std::size_t k = 1; k < begin.size(); ++k) {
      const Index end = begin[k], made = static_cast<Index>(ends.size()) + 1;
      ++levels;
      if (end != n && (levels < least_levels || (end + begin[k + 1]) * ranges < 2 * made * n)) continue;
      ends.push_back(end);
      levels = 0;
    }
    if (ends.empty()) ends.push_back(0);
    return ends;
  }

 private:
  /// Levels of as many successive numbers as lie between two neighbors at most.
  template <class LeftOut>
  static GraphLevels by_number(const ParticleGraph& graph, const LeftOut& left_out) {
    Index width = 1;
    for (Index i = 0; i < graph.particles(); ++i)
      if (!left_out(i) && !graph.is_alone(i)) width = std::max(width, graph.neighbor(graph.begin(i + 1) - 1) - i);
    GraphLevels found;
    Index block = -1;
    for (Index i = 0; i < graph.particles(); ++i) {
      if (left_out(i)) continue;
      if (i / width != block) found.begin.push_back(static_cast<Index>(found.particle.size()));
      block = i / width;
      found.particle.push_back(i);
    }
    found.begin.push_back(static_cast<Index>(found.particle.size()));
    return found;
  }
  /// From the root; what it does not reach follows, from a root of its own.
  template <class LeftOut>
  static GraphLevels from(Index root, const ParticleGraph& graph, const LeftOut& left_out) {
    const Index particles = graph.particles();
    GraphLevels found;
    found.particle.reserve(particles);
    std::vector<char> seen(particles, 0);
    const auto see = [&](Index i) {
      if (seen[i] || left_out(i)) return;
      seen[i] = 1;
      found.particle.push_back(i);
    };
    for (Index start = particles > 0 ? -1 : 0; start < particles; ++start) {
      Index begin = static_cast<Index>(found.particle.size());
      see(start < 0 ? root : start);
      for (Index end; begin < (end = static_cast<Index>(found.particle.size())); begin = end) {
        found.begin.push_back(begin);
        for (Index k = begin; k < end; ++k)
          for (Index e = graph.begin(found.particle[k]); e < graph.begin(found.particle[k] + 1); ++e)
            see(graph.neighbor(e));
      }
    }
    found.begin.push_back(static_cast<Index>(found.particle.size()));
    return found;
  }
};

/// The springs in two passes of chunks, such that no two chunks of one pass have a particle in common: those of a pass
/// may change what belongs to their particles at the same time. They depend on the spring graph alone, so that they
/// stay valid where particles without springs come and go.
///
/// The particles are divided into ranges of two or more successive levels of the body (`GraphLevels`). The first pass
/// has the springs inside each range, the second those from each range to the next.
class SpringChunks {
 public:
  /// The chunks of all springs.
  explicit SpringChunks(const Topology& topology);

  /// Chunks first_chunk(pass) <= k < first_chunk(pass + 1) belong to the pass, 0 or 1; each pass has the same number.
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
