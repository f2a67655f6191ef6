#include "sim/neighbors/cell_list_search.hpp"

#include <algorithm>
#include <cmath>

#include "sim/neighbors/cell_coordinates.hpp"
#include "sim/neighbors/cell_order.hpp"

namespace pithball::sim {

std::shared_ptr<const NeighborList> CellListSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  CellCoordinates grid(x, cutoff);
  for (double cells = grid.cells(); cells > most_cells(x.cols()); cells = grid.cells())
    grid.set_side(grid.side() * std::max(1.05, std::cbrt(cells / most_cells(x.cols()))));
  const std::int64_t counts[3] = {grid.count(0), grid.count(1), grid.count(2)};
  const auto number = [&](std::int64_t cx, std::int64_t cy, std::int64_t cz) {
    return static_cast<CellOrder::Number>((cz * counts[1] + cy) * counts[0] + cx);
  };
  std::vector<CellOrder::Number> cell(x.cols());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const auto [cx, cy, cz] = grid.of(x.col(i));
    cell[i] = number(cx, cy, cz);
  }
  const auto cells = static_cast<std::size_t>(grid.cells());
  const CellOrder order(x, cell, cells);
  cost.cells = cells;
  cost.bytes = order.bytes() + cell.size() * sizeof(cell[0]);
  return std::make_shared<NeighborList>(order.pairs(cutoff, [&](CellOrder::Number c) {
    const std::int64_t cx = c % counts[0], cy = c / counts[0] % counts[1], cz = c / counts[0] / counts[1];
    CellOrder::Runs runs;
    for (std::int64_t z = std::max<std::int64_t>(cz - 1, 0); z <= std::min(cz + 1, counts[2] - 1); ++z)
      for (std::int64_t y = std::max<std::int64_t>(cy - 1, 0); y <= std::min(cy + 1, counts[1] - 1); ++y)
        runs.add(number(std::max<std::int64_t>(cx - 1, 0), y, z), number(std::min(cx + 1, counts[0] - 1), y, z));
    return runs;
  }));
}

}  // namespace pithball::sim
