#include "sim/linear/sweep_order.hpp"

#include <algorithm>

#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {
namespace {

/// Number of chunks, at most `SweepOrder::most_chunks`: two or four of each color, so that two threads end together.
/// Below 8,000 blocks a second thread does not pay; more chunks cost iterations.
Index count_chunks(Index blocks) { return blocks < 8000 ? 1 : blocks < 32000 ? 4 : SweepOrder::most_chunks; }

/// Free particles by their distance from a root, counted in blocks. Blocks join only particles of the same distance or
/// of successive ones.
struct Levels {
  std::vector<Index> particle;     // by distance
  std::vector<Index> level_begin;  // and the number of particles at the end
};

/// From the root; what it does not reach follows, from a root of its own.
Levels find_levels(const BlockMatrix& A, Index root) {
  Levels found;
  found.particle.reserve(A.particles());
  std::vector<char> seen(A.particles(), 0);
  const auto see = [&](Index i) {
    if (seen[i] || A.is_held(i)) return;
    seen[i] = 1;
    found.particle.push_back(i);
  };
  for (Index start = -1; start < A.particles(); ++start) {
    Index begin = static_cast<Index>(found.particle.size());
    see(start < 0 ? root : start);
    for (Index end; begin < (end = static_cast<Index>(found.particle.size())); begin = end) {
      found.level_begin.push_back(begin);
      for (Index k = begin; k < end; ++k)
        for (Index e = A.row_begin(found.particle[k]); e < A.row_begin(found.particle[k] + 1); ++e) see(A.column(e));
    }
  }
  found.level_begin.push_back(static_cast<Index>(found.particle.size()));
  return found;
}

/// From an end of the body, so that there are many levels of few particles (Gibbs, Poole and Stockmeyer 1976).
Levels long_levels(const BlockMatrix& A) {
  Levels levels = find_levels(A, 0);
  for (int k = 0; k < 2 && !levels.particle.empty(); ++k) levels = find_levels(A, levels.particle.back());
  return levels;
}

/// Ends of ranges of whole levels of about equal sizes.
std::vector<Index> divide(const Levels& levels, Index ranges) {
  std::vector<Index> ends;
  const Index n = static_cast<Index>(levels.particle.size());
  for (std::size_t k = 1; k < levels.level_begin.size(); ++k) {
    const Index end = levels.level_begin[k], made = static_cast<Index>(ends.size()) + 1;
    if (end == n || (end * ranges >= made * n)) ends.push_back(end);
  }
  if (ends.empty()) ends.push_back(0);
  return ends;
}

}  // namespace

SweepOrder::SweepOrder(const BlockMatrix& A) {
  const Levels levels = long_levels(A);
  const std::vector<Index> ends = divide(levels, count_chunks(A.blocks()));
  std::vector<std::int32_t> place(A.particles(), -1);
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
