#pragma once
#include <algorithm>
#include <vector>

#include "sim/core/particle_graph.hpp"

namespace pithball::sim {

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

}  // namespace pithball::sim
