#include "sim/linear/sweep_order.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/graph_levels.hpp"

namespace pithball::sim {
namespace {

/// Number of chunks, at most `SweepOrder::most_chunks`: two or four of each color, so that two threads end together.
/// With less work, that of 900 particles of a sheet, a second thread does not pay; more chunks cost iterations.
Index count_chunks(double work) { return work < 200'000 ? 1 : work < 1'000'000 ? 4 : SweepOrder::most_chunks; }

}  // namespace

SweepOrder::SweepOrder(const ParticleGraph& graph, const std::vector<char>& held) {
  const GraphLevels levels = GraphLevels::along(graph, [&](Index i) { return held[i] != 0; });
  const std::vector<Index> ends = levels.divide(count_chunks(work(graph.particles(), graph.pairs())), 1);
  std::vector<std::int32_t> place(graph.particles(), -1);
  chunk_begin.push_back(0);
  for (const std::size_t color : {0, 1})
    for (std::size_t range = color; range < ends.size(); range += 2) {
      for (Index k = range == 0 ? 0 : ends[range - 1]; k < ends[range]; ++k) {
        place[levels.particle[k]] = static_cast<std::int32_t>(particle.size());
        particle.push_back(levels.particle[k]);
      }
      chunk_begin.push_back(places());
    }
  first_color = (static_cast<Index>(ends.size()) + 1) / 2;

  lower_begin.assign(1, 0);
  upper_begin.assign(places() + 1, 0);
  for (Index i = 0; i < places(); ++i) {
    for (Index e = graph.begin(particle[i]); e < graph.begin(particle[i] + 1); ++e) {
      const std::int32_t j = place[graph.neighbor(e)];
      if (j < 0 || j > i) continue;
      lower_column.push_back(j);
      ++upper_begin[j + 1];
    }
    std::sort(lower_column.begin() + lower_begin.back(), lower_column.end());
    lower_begin.push_back(pairs());
  }
  std::partial_sum(upper_begin.begin(), upper_begin.end(), upper_begin.begin());
  std::vector<Index> next(upper_begin.begin(), upper_begin.end() - 1);
  upper_column.resize(pairs());
  upper_pair.resize(pairs());
  for (Index i = 0; i < places(); ++i)
    for (Index pair = lower_begin[i]; pair < lower_begin[i + 1]; ++pair) {
      const Index entry = next[lower_column[pair]]++;
      upper_column[entry] = static_cast<std::int32_t>(i);
      upper_pair[entry] = static_cast<std::int32_t>(pair);
    }
}

}  // namespace pithball::sim
