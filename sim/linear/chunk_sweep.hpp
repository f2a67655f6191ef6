#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "sim/core/brief_wait.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/linear/sweep_order.hpp"

namespace pithball::sim {

/// Direction of a sweep over the places of a SweepOrder.
enum class Sweep { Forward, Backward };

/// A chunk of places.
struct Chunk {
  Index number,  ///< of the chunk
      begin,     ///< its first place
      end;       ///< the place after its last
};

/// Calls visit(chunk) for every chunk, those of the later color after all of the earlier
/// one. A thread takes the same chunks in every sweep, because its cache still has them, and then those that no other
/// thread has begun. `work`: in pairs (`parallel_for`).
template <class Visit>
void for_each_chunk(const SweepOrder& order, Sweep direction, double work, const Visit& visit) {
  static_assert(SweepOrder::most_chunks <= 32);
  std::atomic<unsigned> begun{0};  // a bit for each chunk
  std::atomic<Index> done{0};
  const auto take = [&](Index k) {
    if (begun.fetch_or(1U << k, std::memory_order_relaxed) >> k & 1U) return;
    visit(Chunk{k, order.chunk_begin[k], order.chunk_begin[k + 1]});
    done.fetch_add(1, std::memory_order_release);
  };
  const Index threads = std::min<Index>(threads_for(work), order.first_color);
  const auto take_all = [&](Index begin, Index end, Index thread) {
    const Index own = begin + (end - begin) * thread / threads;
    for (Index k = own; k < end; ++k) take(k);
    for (Index k = begin; k < own; ++k) take(k);
  };
  std::array<std::pair<Index, Index>, 2> colors{{{0, order.first_color}, {order.first_color, order.chunks()}}};
  if (direction == Sweep::Backward) std::swap(colors[0], colors[1]);
  const Index earlier = colors[0].second - colors[0].first;
  parallel_for(threads, work, [&](Index thread) {
    take_all(colors[0].first, colors[0].second, thread);
    while (!brief_wait([&] { return done.load(std::memory_order_acquire) >= earlier; })) continue;
    take_all(colors[1].first, colors[1].second, thread);
  });
}

}  // namespace pithball::sim
