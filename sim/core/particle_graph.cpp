#include "sim/core/particle_graph.hpp"

#include <algorithm>
#include <numeric>

namespace pithball::sim {

ParticleGraph::ParticleGraph(Index particles, std::initializer_list<std::span<const Spring>> pairs) {
  // Room for every pair, then sorted without repetitions.
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

}  // namespace pithball::sim
