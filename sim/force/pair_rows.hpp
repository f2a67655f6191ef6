#pragma once
#include <algorithm>
#include <vector>

#include "sim/neighbours/neighbour_search.hpp"

namespace pithball::sim {

/// The partners j > i of one particle i that are closer than a cut-off: x_i − x_j [m] and its square, side by side in
/// memory for loops over them.
struct PairRow {
  Index i = 0;
  std::size_t count = 0;
  std::vector<double> x, y, z, r2;       ///< the first `count` entries count
  std::vector<NeighbourList::Number> j;  ///< ascending

  Vec3 separation(std::size_t k) const { return {x[k], y[k], z[k]}; }
};

/// Calls body(row) for each particle that has such partners, in ascending order. Candidates beyond the cut-off are left
/// out here, so that sums over the rows do not depend on what else a list held.
template <class Body>
void for_each_row(const NeighbourSearch& search, const Points& positions, double cutoff, Body body) {
  const auto list = search.candidates(positions, cutoff);
  std::size_t longest = 0;
  for (Index i = 0; i < list->points(); ++i) longest = std::max(longest, list->row(i).size());
  PairRow row;
  for (auto* column : {&row.x, &row.y, &row.z, &row.r2}) column->resize(longest);
  row.j.resize(longest);
  const double cutoff2 = cutoff * cutoff;
  const double* const at = positions.data();
  double *const x = row.x.data(), *const y = row.y.data(), *const z = row.z.data(), *const r2 = row.r2.data();
  NeighbourList::Number* const numbers = row.j.data();
  for (Index i = 0; i < list->points(); ++i) {
    const double xi = at[3 * i], yi = at[3 * i + 1], zi = at[3 * i + 2];
    std::size_t count = 0;
    for (const NeighbourList::Number j : list->row(i)) {
      const double* const b = at + 3 * static_cast<std::size_t>(j);
      // Always written, kept if it counts: a branch would be guessed wrong often.
      x[count] = xi - b[0];
      y[count] = yi - b[1];
      z[count] = zi - b[2];
      const double distance2 = squared_distance(xi, yi, zi, b[0], b[1], b[2]);
      r2[count] = distance2;
      numbers[count] = j;
      count += static_cast<std::size_t>(distance2 < cutoff2);
    }
    if (count == 0) continue;
    row.i = i;
    row.count = count;
    body(static_cast<const PairRow&>(row));
  }
}

}  // namespace pithball::sim
