#pragma once
#include <vector>

#include "sim/core/topology.hpp"

namespace pithball::sim {

/// A particle of a model, told by an earlier model of the same run.
struct ParticleOrigin {
  Index like = 0;  ///< the particle there whose values it has
  bool itself =
      true;  ///< whether it is that particle, with its springs, links and pins; otherwise a further one like it
};

/// Where each of the earlier model's particles is now; −1: it is gone.
inline std::vector<Index> places(const std::vector<ParticleOrigin>& origins, Index earlier_particles) {
  std::vector<Index> place(earlier_particles, -1);
  for (std::size_t p = 0; p < origins.size(); ++p)
    if (origins[p].itself) place[origins[p].like] = p;
  return place;
}

/// The same pairs of particles by their present numbers; all must still be there.
inline std::vector<Spring> renumbered(std::vector<Spring> pairs, const std::vector<Index>& place) {
  for (auto& [i, j] : pairs) {
    i = place[i];
    j = place[j];
  }
  return pairs;
}

}  // namespace pithball::sim
