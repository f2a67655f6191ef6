#pragma once
#include "sim/neighbors/brute_force_search.hpp"
#include "sim/neighbors/cell_list_search.hpp"
#include "sim/neighbors/hashed_grid_search.hpp"

namespace pithball::sim {

/// The fastest search for these points: `brute_force` below `crossover` points, `hashed_grid` if the box around them
/// has more cells than a cell list may have, `cell_list` otherwise.
///
/// The choice is made at every search: all methods find the same list, so it affects only the time.
class AutoSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "auto"; }

  /// Name of the search that it would use.
  std::string choice(const Points& x, double cutoff) const { return chosen(x, cutoff).name(); }
  /// Number of points from which cells pay off.
  static constexpr Index crossover = 200;

 private:
  const NeighborSearch& chosen(const Points& x, double cutoff) const;
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;

  BruteForceSearch brute_force_;
  CellListSearch cell_list_;
  HashedGridSearch hashed_grid_;
};

}  // namespace pithball::sim
