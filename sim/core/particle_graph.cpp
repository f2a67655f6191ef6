#include "sim/core/particle_graph.hpp"

#include <algorithm>
#include <numeric>

namespace pithball::sim {

ParticleGraph::ParticleGraph(Index particles, std::initializer_list<std::span<const Spring>> pairs) {
  // Reserves space for every pair; then sorts the neighbors and removes duplicates.
  std::vector<Index> room(particles + 1, 0);
  for (const auto& list : pairs)
    for (const Spring& s : list)
      for (const Index end : {s.i, s.j}) ++room[end + 1];
  std::partial_sum(room.begin(), room.end(), room.begin());
  std::vector<std::int32_t> all(room.back());
  std::vector<Index> next(room.begin(), room.end() - 1);
  for (const auto& list : pairs)
    for (const Spring& s : list) {
      all[next[s.i]++] = static_cast<std::int32_t>(s.j);
      all[next[s.j]++] = static_cast<std::int32_t>(s.i);
    }
  begin_.reserve(particles + 1);
  begin_.push_back(0);
  neighbor_.reserve(all.size());
  for (Index i = 0; i < particles; ++i) {
    const auto first = all.begin() + room[i], end = all.begin() + room[i + 1];
    std::sort(first, end);
    neighbor_.insert(neighbor_.end(), first, std::unique(first, end));
    begin_.push_back(static_cast<Index>(neighbor_.size()));
  }
}

Index ParticleGraph::find(Index i, Index j) const {
  const auto first = neighbor_.begin() + begin_[i], end = neighbor_.begin() + begin_[i + 1];
  return std::lower_bound(first, end, j) - neighbor_.begin();
}

namespace {

/// Springs per range: few enough that there are more ranges than threads, so that the load is balanced, but enough to
/// outweigh the overhead of scheduling a range.
constexpr Index springs_per_range = 1000;
constexpr Index most_ranges = 64;
/// Least number of levels per range. With two, springs to the previous and to the next range share no particle.
constexpr Index least_levels = 2;

/// Returns the range of each particle; 0 for particles without springs, which must not influence the ranges.
std::vector<Index> find_ranges(const Topology& topology) {
  const ParticleGraph graph(topology.particles, {topology.springs});
  const GraphLevels levels = GraphLevels::along(graph, [&](Index i) { return graph.is_alone(i); });
  const Index wanted =
      std::clamp<Index>(static_cast<Index>(topology.springs.size()) / springs_per_range, 1, most_ranges);
  std::vector<Index> range(topology.particles);
  Index begin = 0, number = 0;
  for (const Index end : levels.divide(wanted, least_levels)) {
    for (; begin < end; ++begin) range[levels.particle[begin]] = number;
    ++number;
  }
  return range;
}

/// Sorts the springs by their first particles, so that a loop over springs visits the particles in order. (Meshes
/// number their springs by kind.)
std::vector<std::int32_t> by_particle(const Topology& topology) {
  std::vector<std::int32_t> order(topology.springs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first = [&](std::int32_t e) { return std::min(topology.springs[e].i, topology.springs[e].j); };
  std::ranges::stable_sort(order, {}, first);
  return order;
}

}  // namespace

SpringChunks::SpringChunks(const Topology& topology) {
  const std::vector<Index> range = find_ranges(topology);
  const Index ranges = range.empty() ? 1 : 1 + *std::max_element(range.begin(), range.end());
  const auto chunk_of = [&](const Spring& s) {
    const Index first = std::min(range[s.i], range[s.j]);
    return range[s.i] == range[s.j] ? first : ranges + first;
  };
  begin_.assign(2 * ranges + 1, 0);
  for (const Spring& s : topology.springs) ++begin_[chunk_of(s) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  spring_.resize(topology.springs.size());
  for (const std::int32_t e : by_particle(topology)) spring_[next[chunk_of(topology.springs[e])]++] = e;
}

}  // namespace pithball::sim
