#pragma once
#include <functional>
#include <vector>

#include "sim/neighbors/neighbor_list.hpp"

namespace pithball::sim {

/// Points gathered by their cells, so that those of a cell, and of cells with consecutive numbers, lie side by side in
/// memory: what `cell_list` and `hashed_grid` share.
class CellOrder {
 public:
  using Number = NeighborList::Number;
  /// Cells first … last of consecutive numbers, both included.
  struct Run {
    Number first, last;
  };
  /// At most nine: the cells that touch a cell are three in each of nine rows along x.
  struct Runs {
    int count = 0;
    Run run[9];
    void add(Number first, Number last) { run[count++] = {first, last}; }
  };

  /// cell[i]: in which of the cells 0 … cells − 1 point i lies. O(n + cells).
  CellOrder(const Points& x, const std::vector<Number>& cell, std::size_t cells);

  /// The pairs closer than the cut-off [m] of points in cells that touch; `touching` gives the cells that touch a cell,
  /// itself included.
  NeighborList pairs(double cutoff, const std::function<Runs(Number cell)>& touching) const;

  std::size_t bytes() const {
    return begin_.size() * sizeof(begin_[0]) + point_.size() * (sizeof(point_[0]) + 3 * sizeof(double));
  }

 private:
  std::vector<Number> begin_;  // of each cell among the points below, and the end of the last
  std::vector<Number> point_;  // which point; ascending within a cell
  std::vector<double> x_[3];   // its coordinates [m]
};

}  // namespace pithball::sim
