#pragma once
#include "sim/neighbors/brute_force_search.hpp"
#include "sim/neighbors/cell_list_search.hpp"
#include "sim/neighbors/hashed_grid_search.hpp"

namespace pithball::sim {

/// The fastest search for these points: `brute_force` below `crossover` of them, `hashed_grid` where the box around
/// them has more cells than a cell list may have, `cell_list` otherwise.
///
/// It looks at every search: all methods find the same list, so that nothing but time depends on the choice.
class AutoSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "auto"; }

  /// The search that it would use, by name.
  std::string choice(const Points& x, double cutoff) const { return chosen(x, cutoff).name(); }
  /// From how many points on cells pay.
  static constexpr Index crossover = 200;

 private:
  const NeighborSearch& chosen(const Points& x, double cutoff) const;
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;

  BruteForceSearch brute_force_;
  CellListSearch cell_list_;
  HashedGridSearch hashed_grid_;
};

}  // namespace pithball::sim
