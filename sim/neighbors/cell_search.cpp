#include "sim/neighbors/cell_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "sim/neighbors/neighbor_search.hpp"

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

  /// Returns the pairs in adjacent cells that are closer than the cutoff [m]; `touching` returns the cells adjacent to
  /// a cell, including itself.
  NeighborList pairs(double cutoff, const std::function<Runs(Number cell)>& touching) const;

  /// Memory of the sorted points [B].
  std::size_t bytes() const {
    return begin_.size() * sizeof(begin_[0]) + point_.size() * (sizeof(point_[0]) + 3 * sizeof(double));
  }

 private:
  std::vector<Number> begin_;  // first index of each cell in the arrays below, and the end of the last
  std::vector<Number> point_;  // indices of the points; ascending within a cell
  std::vector<double> x_[3];   // coordinates of these points [m]
};

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
      Run& run = runs.run[r];  // from cells to points: half-open range
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
          row[count] = point_[b];  // always written, kept if in range: a branch would be mispredicted half the time
          count += static_cast<std::size_t>((distance2 < cutoff2) & (point_[b] > self));
        }
      std::sort(row.begin(), row.begin() + count);
      rows.add(self, row.data(), count);
    }
  }
  return rows.list();
}

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

namespace {

using Cell = CellCoordinates::Cell;

/// Numbers the cells that contain points, by open addressing in a table at most half full.
class CellTable {
 public:
  using Number = CellOrder::Number;
  explicit CellTable(std::size_t most) : slots_(std::bit_ceil(2 * most), none) {}

  /// Returns the number of a cell; a new cell gets the next number.
  Number insert(const Cell& cell) {
    Number& slot = slots_[slot_of(cell)];
    if (slot == none) {
      slot = static_cast<Number>(cells_.size());
      cells_.push_back(cell);
    }
    return slot;
  }
  std::optional<Number> find(const Cell& cell) const {
    const Number slot = slots_[slot_of(cell)];
    return slot == none ? std::nullopt : std::optional(slot);
  }
  const std::vector<Cell>& cells() const { return cells_; }

  /// Numbers the cells by z, then y, then x; returns the new number of each old one.
  std::vector<Number> sort() {
    std::vector<Number> order(cells_.size());
    std::iota(order.begin(), order.end(), Number{0});
    const auto before = [&](Number a, Number b) {
      return std::lexicographical_compare(cells_[a].rbegin(), cells_[a].rend(), cells_[b].rbegin(), cells_[b].rend());
    };
    std::sort(order.begin(), order.end(), before);
    std::vector<Number> number(order.size());
    std::vector<Cell> sorted;
    sorted.reserve(cells_.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      number[order[k]] = static_cast<Number>(k);
      sorted.push_back(cells_[order[k]]);
    }
    cells_ = std::move(sorted);
    for (Number& slot : slots_)
      if (slot != none) slot = number[slot];
    return number;
  }

  std::size_t bytes() const { return slots_.size() * sizeof(Number) + cells_.capacity() * sizeof(Cell); }

 private:
  static constexpr Number none = ~Number{0};

  /// Returns the slot that contains the cell, or the one where it would be inserted.
  std::size_t slot_of(const Cell& cell) const {
    // Odd constants mix each coordinate, and the shift brings the well-mixed high bits down.
    std::uint64_t hash = cell[0] * 0x9e3779b97f4a7c15u;
    hash = (std::rotl(hash, 21) ^ cell[1]) * 0xbf58476d1ce4e5b9u;
    hash = (std::rotl(hash, 21) ^ cell[2]) * 0x94d049bb133111ebu;
    std::size_t slot = (hash ^ (hash >> 32)) & (slots_.size() - 1);
    while (slots_[slot] != none && cells_[slots_[slot]] != cell) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::vector<Number> slots_;
  std::vector<Cell> cells_;
};

}  // namespace

std::shared_ptr<const NeighborList> HashedGridSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  const CellCoordinates grid(x, cutoff);
  CellTable table(x.cols());
  std::vector<CellOrder::Number> cell(x.cols());
  for (std::size_t i = 0; i < cell.size(); ++i) cell[i] = table.insert(grid.of(x.col(i)));
  const std::vector<CellOrder::Number> number = table.sort();
  for (CellOrder::Number& c : cell) c = number[c];
  const CellOrder order(x, cell, table.cells().size());
  cost.cells = table.cells().size();
  cost.bytes = table.bytes() + order.bytes() + cell.size() * sizeof(cell[0]);
  return std::make_shared<NeighborList>(order.pairs(cutoff, [&](CellOrder::Number c) {
    const Cell& here = table.cells()[c];
    CellOrder::Runs runs;
    for (std::int64_t z = here[2] - 1; z <= here[2] + 1; ++z)
      for (std::int64_t y = here[1] - 1; y <= here[1] + 1; ++y) {
        // Neighbors along x, as far as they exist, have consecutive numbers.
        std::optional<CellOrder::Number> first, last;
        for (std::int64_t x_ = here[0] - 1; x_ <= here[0] + 1; ++x_)
          if (const auto found = table.find({x_, y, z})) {
            if (!first) first = found;
            last = found;
          }
        if (first) runs.add(*first, *last);
      }
    return runs;
  }));
}

}  // namespace pithball::sim
