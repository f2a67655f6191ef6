#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Maximum number of threads of a loop, including the caller's: the number of processors available to this process,
/// unless `set_max_threads` has set another.
int max_threads();
/// Applies to every loop of the process that begins later; values below one count as one. Results do not depend on it.
void set_max_threads(int threads);

/// Number of threads that are worthwhile for an amount of work, at most `max_threads()`. The unit is a point pair
/// summed directly (0.3 ns to 1 ns): work is counted, never timed. Waking a sleeping thread costs microseconds; one
/// that has just ended a loop looks for the next, and pays for less work. Two calls can return different numbers, on
/// which no result may depend. docs/coulomb.md describes the measurement of the minimum share of a thread.
int threads_for(double pairs);

/// Number of loops shared among threads since the process started.
std::uint64_t shared_loops();

namespace parallel {
/// One iteration of a loop; `work` is the loop body.
using Turn = void (*)(const void* work, Index k);
/// A loop as threads share it.
struct Shared {
  Index count,  ///< number of iterations
      grain;    ///< how many are taken at a time
  int threads,  ///< the most that share it
      parts;    ///< of the iterations; each thread begins with another one
};
/// The loop on up to `threads` threads.
void share(const Shared& loop, Turn turn, const void* work);

/// The loop on as many threads as are worthwhile, in no more parts than threads.
template <class Work>
void run(Shared loop, double pairs, const Work& work) {
  loop.threads = static_cast<int>(std::min<Index>(threads_for(pairs), (loop.count + loop.grain - 1) / loop.grain));
  loop.parts = std::min(loop.parts, loop.threads);
  if (loop.threads > 1)
    return share(
        loop, [](const void* body, Index k) { (*static_cast<const Work*>(body))(k); }, &work);
  for (Index k = 0; k < loop.count; ++k) work(k);
}
}  // namespace parallel

/// Calls work(k) once for each 0 ≤ k < count, on several threads if the work, counted in `pairs`, pays for them. Each
/// thread takes first a part of its own, the same in every loop, because its cache still has the data, and then what
/// is left of others; `grain` iterations at a time. The caller takes part and never waits for a thread that has not
/// started, so that a busy processor delays a loop by at most one iteration. Returns when all iterations have ended.
/// If some throw, the exception of the lowest k is rethrown. Can be nested and called from several threads at once.
template <class Work>
void parallel_for(Index count, double pairs, const Work& work, Index grain = 1) {
  constexpr int most_parts = 16;
  parallel::run({count, grain, 1, most_parts}, pairs, work);
}

/// The same for iterations that may wait for earlier ones: they are started in ascending order.
template <class Work>
void parallel_in_order(Index count, double pairs, const Work& work) {
  parallel::run({count, 1, 1, 1}, pairs, work);
}

/// Calls body(begin, end) for successive parts of 0 … count, on several threads if the work of all of them, counted as
/// in `parallel_for`, pays for that.
template <class Body>
void parallel_parts(Index count, double work, const Body& body) {
  constexpr Index parts = 16;  // so that threads end together
  if (threads_for(work) == 1) return body(Index{0}, count);
  parallel_for(parts, work, [&](Index k) { body(k * count / parts, (k + 1) * count / parts); });
}

/// The largest of(i) for 0 ≤ i < count, or NaN if one is NaN; −∞ if count is 0. On several threads like
/// `parallel_parts`.
template <class Of>
double parallel_maximum(Index count, double work, const Of& of) {
  double largest = -std::numeric_limits<double>::infinity();
  bool ordered = true;
  std::mutex mutex;
  parallel_parts(count, work, [&](Index begin, Index end) {
    double of_part = -std::numeric_limits<double>::infinity();
    bool part_ordered = true;
    for (Index i = begin; i < end; ++i) {
      const double number = of(i);
      part_ordered = part_ordered & (number == number);
      of_part = std::max(of_part, number);
    }
    const std::lock_guard lock(mutex);
    ordered = ordered && part_ordered;
    largest = std::max(largest, of_part);
  });
  return ordered ? largest : std::numeric_limits<double>::quiet_NaN();
}

/// Work of a pass over particles, as for `parallel_for`. It is shared among threads where a loop over their springs
/// would be, because the thread that writes a particle here reads it there.
inline double particle_work(Index particles) {
  constexpr double of_springs = 80;  // work for the springs of one particle in a sheet
  return of_springs * static_cast<double>(particles);
}

/// `parallel_parts` for a pass over particles.
template <class Body>
void particle_parts(Index particles, const Body& body) {
  parallel_parts(particles, particle_work(particles), body);
}

}  // namespace pithball::sim
