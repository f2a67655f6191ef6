#pragma once
#include <functional>
#include <span>
#include <vector>

#include "sim/coulomb/direct/channels.hpp"

namespace pithball::sim {

/// Channels for n targets, all 0.
inline direct::Channels zero_channels(int channels, Index n) {
  direct::Channels zero(channels, direct::padded_size(n));
  zero.set_zero();
  return zero;
}

/// A kernel with the records of its sources.
struct KernelSources {
  /// `count` sources; all records are 0, and none acts.
  KernelSources(direct::Kernel k, Index count) : kernel(k), records(count * record()), acts(count) {}
  Index record() const { return direct::shape_of(kernel).record; }  ///< length of a source's record, position included
  int sums() const { return direct::shape_of(kernel).sums; }        ///< numbers that the kernel adds for each target
  /// The record of source j: position [m], then what the kernel's comment lists.
  double* at(Index j) { return records.data() + j * record(); }
  const double* at(Index j) const { return records.data() + j * record(); }  ///< the same, to read

  direct::Kernel kernel;        ///< what the sources do
  std::vector<double> records;  ///< one after another, without gaps
  std::vector<char> acts;       ///< whether the source does anything at all: has a charge, a dipole, …
};

/// Adds the sums over sources first ≤ j < last to all targets, none of which is a source.
void add_sums(const KernelSources& sources, Index first, Index last, const direct::Channels& targets, double softening2,
              direct::Channels& sums);

/// Σ over all sources but those in blocks that the target leaves out, for `count` targets. Block b holds the sources
/// block_begin[b] ≤ j < block_begin[b + 1]. What is left out is never added, so nothing is lost to cancellation.
/// Parallel over targets, the same to the last bit for any number of threads.
direct::Channels sum_with_gaps(const KernelSources& sources, const std::vector<Index>& block_begin,
                               const direct::Channels& targets, Index count,
                               const std::function<std::span<const Index>(Index target)>& left_out, double softening2);

}  // namespace pithball::sim
