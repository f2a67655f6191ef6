#pragma once
#include <algorithm>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// The nodes of a graph by their distance from one end of it, counted in edges: edges join only nodes of the same
/// distance or of successive ones. With it a body is divided into ranges that only touch the next ones.
struct GraphLevels {
  std::vector<Index> node;   ///< by distance; parts that are not connected follow each other
  std::vector<Index> begin;  ///< first place of each level, and the number of nodes

  /// From an end of the graph, so that there are many levels of few nodes (Gibbs, Poole and Stockmeyer 1976).
  /// `visit_neighbors(i, see)` calls see(j) for the neighbors j of node i; nodes k with left_out(k) are ignored.
  template <class LeftOut, class VisitNeighbors>
  static GraphLevels from_an_end(Index nodes, const LeftOut& left_out, const VisitNeighbors& visit_neighbors) {
    GraphLevels levels = from(0, nodes, left_out, visit_neighbors);
    for (int k = 0; k < 2 && !levels.node.empty(); ++k)
      levels = from(levels.node.back(), nodes, left_out, visit_neighbors);
    return levels;
  }

  /// Ends of ranges of about equal sizes, each of at least `least_levels` whole levels; the last may have fewer.
  std::vector<Index> divide(Index ranges, Index least_levels) const {
    std::vector<Index> ends;
    const Index n = static_cast<Index>(node.size());
    Index levels = 0;
    for (std::size_t k = 1; k < begin.size(); ++k) {
      const Index end = begin[k], made = static_cast<Index>(ends.size()) + 1;
      ++levels;
      if (end != n && (levels < least_levels || end * ranges < made * n)) continue;
      ends.push_back(end);
      levels = 0;
    }
    if (ends.empty()) ends.push_back(0);
    return ends;
  }

 private:
  /// From the root; what it does not reach follows, from a root of its own.
  template <class LeftOut, class VisitNeighbors>
  static GraphLevels from(Index root, Index nodes, const LeftOut& left_out, const VisitNeighbors& visit_neighbors) {
    GraphLevels found;
    found.node.reserve(nodes);
    std::vector<char> seen(nodes, 0);
    const auto see = [&](Index i) {
      if (seen[i] || left_out(i)) return;
      seen[i] = 1;
      found.node.push_back(i);
    };
    for (Index start = nodes > 0 ? -1 : 0; start < nodes; ++start) {
      Index begin = static_cast<Index>(found.node.size());
      see(start < 0 ? root : start);
      for (Index end; begin < (end = static_cast<Index>(found.node.size())); begin = end) {
        found.begin.push_back(begin);
        for (Index k = begin; k < end; ++k) visit_neighbors(found.node[k], see);
      }
    }
    found.begin.push_back(static_cast<Index>(found.node.size()));
    return found;
  }
};

}  // namespace pithball::sim
