#include "sim/linear/block_pattern.hpp"

namespace pithball::sim {
namespace {

std::vector<char> held_particles(const Topology& topology) {
  std::vector<char> held(topology.particles, 0);
  for (const Held& h : topology.held) held[h.particle] = 1;
  return held;
}

}  // namespace

BlockPattern::BlockPattern(const Topology& topology)
    : graph(topology.particles, {topology.springs, topology.couplings}),
      held(held_particles(topology)),
      order(graph, held),
      pair(2 * graph.pairs()),
      skew(!topology.couplings.empty()) {
  later.reserve(graph.pairs());
  const auto append = [&](Index i, Index j) {
    const auto number = static_cast<std::int32_t>(later.size());
    later.push_back(static_cast<std::int32_t>(i));
    pair[graph.find(i, j)] = pair[graph.find(j, i)] = number;
  };
  for (Index i = 0; i < order.places(); ++i)
    for (Index k = order.lower_begin[i]; k < order.lower_begin[i + 1]; ++k)
      append(order.particle[i], order.particle[order.lower_column[k]]);
  for (Index i = 0; i < particles(); ++i)
    for (Index e = graph.begin(i); e < graph.begin(i + 1); ++e)
      if (const Index j = graph.neighbor(e); j < i && (held[i] || held[j])) append(i, j);
  spring_pair.reserve(topology.springs.size());
  for (const Spring& s : topology.springs) spring_pair.push_back(static_cast<std::int32_t>(pair_of(s.i, s.j)));
}

}  // namespace pithball::sim
