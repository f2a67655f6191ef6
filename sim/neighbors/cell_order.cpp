#include "sim/neighbors/cell_order.hpp"

#include <algorithm>

#include "sim/neighbors/neighbor_search.hpp"
#include "sim/neighbors/row_store.hpp"

namespace pithball::sim {
CellOrder::CellOrder(const Points& x, const std::vector<Number>& cell, std::size_t cells)
    : begin_(cells + 1, 0), point_(cell.size()) {
  for (const Number c : cell) ++begin_[c + 1];
  for (std::size_t c = 0; c < cells; ++c) begin_[c + 1] += begin_[c];
  std::vector<Number> next(begin_.begin(), begin_.end() - 1);
  for (auto& coordinate : x_) coordinate.resize(cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const Number place = next[cell[i]]++;
    point_[place] = static_cast<Number>(i);
    for (int a = 0; a < 3; ++a) x_[a][place] = x(a, i);
  }
}

NeighborList CellOrder::pairs(double cutoff, const std::function<Runs(Number cell)>& touching) const {
  const double cutoff2 = cutoff * cutoff;
  RowStore rows(point_.size());
  std::vector<Number> row;
  for (std::size_t cell = 0; cell + 1 < begin_.size(); ++cell) {
    if (begin_[cell] == begin_[cell + 1]) continue;
    Runs runs = touching(static_cast<Number>(cell));
    std::size_t most = 0;
    for (int r = 0; r < runs.count; ++r) {
      Run& run = runs.run[r];  // from cells to points: first included, last not
      run = {begin_[run.first], begin_[run.last + 1]};
      most += run.last - run.first;
    }
    row.resize(std::max(row.size(), most));
    for (Number a = begin_[cell]; a < begin_[cell + 1]; ++a) {
      const double ax = x_[0][a], ay = x_[1][a], az = x_[2][a];
      const Number self = point_[a];
      std::size_t count = 0;
      for (int r = 0; r < runs.count; ++r)
        for (Number b = runs.run[r].first; b < runs.run[r].last; ++b) {
          const double distance2 = squared_distance(ax, ay, az, x_[0][b], x_[1][b], x_[2][b]);
          row[count] = point_[b];  // always written, kept if it counts: a branch would be guessed wrong half the time
          count += static_cast<std::size_t>((distance2 < cutoff2) & (point_[b] > self));
        }
      std::sort(row.begin(), row.begin() + count);
      rows.add(self, row.data(), count);
    }
  }
  return rows.list();
}

}  // namespace pithball::sim
