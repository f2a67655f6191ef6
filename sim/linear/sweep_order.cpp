#include "sim/linear/sweep_order.hpp"

#include <algorithm>

#include "sim/core/graph_levels.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {
namespace {

/// Number of chunks, at most `SweepOrder::most_chunks`: two or four of each color, so that two threads end together.
/// Below 8,000 blocks a second thread does not pay; more chunks cost iterations.
Index count_chunks(Index blocks) { return blocks < 8000 ? 1 : blocks < 32000 ? 4 : SweepOrder::most_chunks; }

}  // namespace

SweepOrder::SweepOrder(const BlockMatrix& A) {
  const GraphLevels levels = GraphLevels::from_an_end(
      A.particles(), [&](Index i) { return A.is_held(i); },
      [&](Index i, const auto& see) {
        for (Index e = A.row_begin(i); e < A.row_begin(i + 1); ++e) see(A.column(e));
      });
  const std::vector<Index> ends = levels.divide(count_chunks(A.blocks()), 1);
  std::vector<std::int32_t> place(A.particles(), -1);
  chunk_begin.push_back(0);
  for (const std::size_t color : {0, 1})
    for (std::size_t range = color; range < ends.size(); range += 2) {
      for (Index k = range == 0 ? 0 : ends[range - 1]; k < ends[range]; ++k) {
        place[levels.node[k]] = static_cast<std::int32_t>(particle.size());
        particle.push_back(levels.node[k]);
      }
      chunk_begin.push_back(places());
    }
  first_color = (static_cast<Index>(ends.size()) + 1) / 2;

  std::vector<std::pair<std::int32_t, Index>> row;
  const auto append_triangle = [&](std::vector<Index>& row_begin, auto belongs) {
    for (Index i = 0; i < places(); ++i) {
      row_begin.push_back(static_cast<Index>(column.size()));
      row.clear();
      for (Index e = A.row_begin(particle[i]); e < A.row_begin(particle[i] + 1); ++e)
        if (const Index j = place[A.column(e)]; j >= 0 && belongs(i, j)) row.emplace_back(j, e);
      std::sort(row.begin(), row.end());
      for (const auto& [j, e] : row) {
        column.push_back(j);
        block.push_back(e);
      }
    }
    row_begin.push_back(static_cast<Index>(column.size()));
  };
  append_triangle(lower_begin, [](Index i, Index j) { return j < i; });
  append_triangle(upper_begin, [](Index i, Index j) { return j > i; });
}

}  // namespace pithball::sim
