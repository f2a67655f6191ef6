#include "sim/force/coincident_particles.hpp"

#include <algorithm>

namespace pithball::sim {

std::optional<Spring> find_coincident(const Points& x, std::vector<Index> which) {
  // Equal positions are neighbors once the particles are sorted by their coordinates.
  std::sort(which.begin(), which.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(x.col(a).begin(), x.col(a).end(), x.col(b).begin(), x.col(b).end());
  });
  for (std::size_t k = 1; k < which.size(); ++k)
    if (x.col(which[k - 1]) == x.col(which[k]))
      return Spring{std::min(which[k - 1], which[k]), std::max(which[k - 1], which[k])};
  return {};
}

}  // namespace pithball::sim
