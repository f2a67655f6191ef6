#include "sim/neighbors/hashed_grid_search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "sim/neighbors/cell_coordinates.hpp"
#include "sim/neighbors/cell_order.hpp"

namespace pithball::sim {
namespace {

using Cell = CellCoordinates::Cell;

/// The cells that hold points, numbered, by open addressing in a table at most half full.
class CellTable {
 public:
  using Number = CellOrder::Number;
  explicit CellTable(std::size_t most) : slots_(std::bit_ceil(2 * most), none) {}

  /// The number of a cell, which gets the next one if it is new.
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

  /// Where the cell is, or where it would be.
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
        // Neighbors along x have consecutive numbers, as far as they exist.
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
