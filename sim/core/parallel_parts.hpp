#pragma once
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

/// The same for a pass over particles. It is shared among threads where a loop over their springs would be, because the
/// thread that writes a particle here reads it there.
template <class Body>
void particle_parts(Index particles, const Body& body) {
  constexpr double particle_work = 80;  // that of a particle's springs in a sheet, in the unit of `parallel_for`
  parallel_parts(particles, particle_work * static_cast<double>(particles), body);
}

}  // namespace pithball::sim
