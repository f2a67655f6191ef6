#pragma once
#include <algorithm>
#include <limits>
#include <mutex>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim {

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
  constexpr double of_springs = 80;  // those of a particle in a sheet
  return of_springs * static_cast<double>(particles);
}

/// `parallel_parts` for a pass over particles.
template <class Body>
void particle_parts(Index particles, const Body& body) {
  parallel_parts(particles, particle_work(particles), body);
}

}  // namespace pithball::sim
