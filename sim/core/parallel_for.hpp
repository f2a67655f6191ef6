#pragma once
#include <algorithm>
#include <cstdint>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// How many threads a loop may use at most, the caller's included: as many as there are processors for this process,
/// unless `set_max_threads` said otherwise.
int max_threads();
/// Holds for every loop of the process that begins later; fewer than one counts as one. Results do not depend on it.
void set_max_threads(int threads);

/// How many threads are worth their while for so much work, `max_threads()` at most. The unit is a pair of points
/// summed directly (0.3 ns to 1 ns): work is counted, never timed, so that a run takes the same way on every machine.
/// A thread that sleeps costs microseconds to wake; docs/coulomb.md tells how the least share of a thread was measured.
int threads_for(double pairs);

/// How many loops were shared among threads since the process began.
std::uint64_t shared_loops();

namespace parallel {
/// One turn of a loop, `work` being the loop's body.
using Turn = void (*)(const void* work, Index k);
/// The loop on up to `threads` threads.
void share(Index count, Index grain, int threads, Turn turn, const void* work);
}  // namespace parallel

/// Calls work(k) once for each 0 ≤ k < count, on several threads where that much work, counted in `pairs`, pays for
/// them. Threads take `grain` turns at a time in ascending order, and each begins when it is taken: a turn may wait for
/// an earlier one. The caller takes turns itself and never waits for a thread that has not begun, so that a busy
/// processor delays a loop by one turn at most. Returns when all turns have ended. If some throw, the exception of the
/// lowest k is thrown again. May be called within a turn of another loop, and from several threads at once.
template <class Work>
void parallel_for(Index count, double pairs, const Work& work, Index grain = 1) {
  const Index shares = (count + grain - 1) / grain;
  const int threads = std::min<Index>(threads_for(pairs), shares);
  if (threads > 1)
    return parallel::share(
        count, grain, threads, [](const void* body, Index k) { (*static_cast<const Work*>(body))(k); }, &work);
  for (Index k = 0; k < count; ++k) work(k);
}

}  // namespace pithball::sim
