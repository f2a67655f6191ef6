#include "sim/coulomb/ddef/gap_sums.hpp"

#include <algorithm>
#include <cstdint>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim {

void add_sums(const KernelSources& sources, Index first, Index last, const direct::Channels& targets, double softening2,
              direct::Channels& sums) {
  if (first == last) return;
  direct::Job job;
  for (int c = 0; c < targets.size(); ++c) job.target[c] = targets[c];
  for (int c = 0; c < sums.size(); ++c) job.sum[c] = sums[c];
  job.source = sources.at(first);
  job.sources = last - first;
  job.softening2 = softening2;
  direct::run(sources.kernel, job, 0, targets.padded());
}

direct::Channels sum_with_gaps(const KernelSources& sources, const std::vector<Index>& block_begin,
                               const direct::Channels& targets, Index count,
                               const std::function<std::span<const Index>(Index target)>& left_out, double softening2) {
  // A tile of targets shares a stretch of sources while it is in the cache, and has a bit for each target.
  constexpr Index tile = 4 * direct::group;
  static_assert(tile <= 64);
  direct::Channels sums(sources.sums(), direct::padded_size(count));
  const double pairs = static_cast<double>(count) * static_cast<double>(block_begin.back());
  parallel_for((count + tile - 1) / tile, pairs, [&](Index t) {
    const Index begin = t * tile, size = std::min(tile, count - begin);
    direct::Channels here = zero_channels(targets.size(), size), result = zero_channels(sums.size(), size);
    direct::Channels scratch(sums.size(), result.padded());
    for (int c = 0; c < targets.size(); ++c) std::copy_n(targets[c] + begin, size, here[c]);

    struct Gap {
      Index block;
      std::uint64_t targets;
    };
    std::vector<Gap> gaps;
    for (Index i = 0; i < size; ++i)
      for (const Index block : left_out(begin + i)) gaps.push_back({block, std::uint64_t{1} << i});
    std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.block < b.block; });

    const auto source = [&](Index block) { return block_begin[block]; };
    Index next = 0;  // the first block that is not summed yet
    for (std::size_t g = 0; g < gaps.size();) {
      const Index block = gaps[g].block;
      std::uint64_t without = 0;
      for (; g < gaps.size() && gaps[g].block == block; ++g) without |= gaps[g].targets;
      add_sums(sources, source(next), source(block), here, softening2, result);
      // For all targets of the tile, since that is as fast; those that leave the block out do not take it.
      scratch.set_zero();
      add_sums(sources, source(block), source(block + 1), here, softening2, scratch);
      for (int c = 0; c < sums.size(); ++c)
        for (Index i = 0; i < size; ++i)
          if (!(without >> i & 1)) result[c][i] += scratch[c][i];
      next = block + 1;
    }
    add_sums(sources, source(next), block_begin.back(), here, softening2, result);
    for (int c = 0; c < sums.size(); ++c) std::copy_n(result[c], size, sums[c] + begin);
  });
  return sums;
}

}  // namespace pithball::sim
