#pragma once
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// A cell list: the box around the points, divided into cubes at least as wide as the cutoff; partners of a point are
/// in its own cube and the 26 around it (Allen and Tildesley, Computer Simulation of Liquids, 2nd ed., 2017, §5.3.2).
/// O(n) for points that fill the box evenly.
///
/// There are at most `most_cells(n)` cubes: in a sparse box they are made wider, which costs time where points are
/// dense; `hashed_grid` is for such boxes.
class CellListSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "cell_list"; }

  /// Largest number of cubes for n points.
  static double most_cells(Index n) { return 64 + 8 * static_cast<double>(n); }

 private:
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
};

}  // namespace pithball::sim
