#pragma once
#include <vector>

#include "sim/core/topology.hpp"

namespace pithball::sim {

/// A particle of a model in terms of an earlier model of the same run.
struct ParticleOrigin {
  Index like = 0;  ///< the particle there from which it has its values
  bool itself =
      true;  ///< whether it is that particle, with its springs, links and pins; otherwise a further particle like it
};

/// New index of each of the earlier model's particles; −1: removed.
inline std::vector<Index> places(const std::vector<ParticleOrigin>& origins, Index earlier_particles) {
  std::vector<Index> place(earlier_particles, -1);
  for (std::size_t p = 0; p < origins.size(); ++p)
    if (origins[p].itself) place[origins[p].like] = p;
  return place;
}

/// The same pairs of particles by their new indices; all must still exist.
inline std::vector<Spring> renumbered(std::vector<Spring> pairs, const std::vector<Index>& place) {
  for (auto& [i, j] : pairs) {
    i = place[i];
    j = place[j];
  }
  return pairs;
}

}  // namespace pithball::sim
