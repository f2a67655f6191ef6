#pragma once
#include <functional>
#include <vector>

#include "sim/neighbors/neighbor_list.hpp"

namespace pithball::sim {

/// Points sorted by cell, so that those of a cell, and of cells with consecutive numbers, are contiguous in memory.
/// Shared by `cell_list` and `hashed_grid`.
class CellOrder {
 public:
  using Number = NeighborList::Number;  ///< of a point or a cell
  /// Cells first … last, inclusive.
  struct Run {
    Number first,  ///< first cell
        last;      ///< last cell, included
  };
  /// At most nine: the adjacent cells are three in each of nine rows along x.
  struct Runs {
    int count = 0;  ///< number of runs used
    Run run[9];     ///< the first `count` are used
    /// Appends cells first … last; must be called at most nine times.
    void add(Number first, Number last) { run[count++] = {first, last}; }
  };

  /// cell[i]: the cell of point i, 0 … cells − 1. O(n + cells).
  CellOrder(const Points& x, const std::vector<Number>& cell, std::size_t cells);

  /// The pairs closer than the cutoff [m] in adjacent cells; `touching` returns the cells adjacent to a cell, including
  /// itself.
  NeighborList pairs(double cutoff, const std::function<Runs(Number cell)>& touching) const;

  /// Memory of the sorted points [B].
  std::size_t bytes() const {
    return begin_.size() * sizeof(begin_[0]) + point_.size() * (sizeof(point_[0]) + 3 * sizeof(double));
  }

 private:
  std::vector<Number> begin_;  // first index of each cell in the arrays below, and the end of the last
  std::vector<Number> point_;  // indices of the points; ascending within a cell
  std::vector<double> x_[3];   // its coordinates [m]
};

}  // namespace pithball::sim
