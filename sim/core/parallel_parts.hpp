#pragma once
#include <cmath>
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

/// The largest of of_part(begin, end) for such parts, none of them empty, or NaN if one is NaN; −∞ if count is 0.
template <class OfPart>
double parallel_maximum(Index count, double work, const OfPart& of_part) {
  double largest = -std::numeric_limits<double>::infinity();
  std::mutex mutex;
  parallel_parts(count, work, [&](Index begin, Index end) {
    if (begin == end) return;
    const double of_this = of_part(begin, end);
    const std::lock_guard lock(mutex);
    if (of_this > largest || std::isnan(of_this)) largest = of_this;
  });
  return largest;
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
