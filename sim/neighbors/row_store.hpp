#pragma once
#include <cstddef>
#include <vector>

#include "sim/neighbors/neighbor_list.hpp"

namespace pithball::sim {

/// Collects the rows of a list in any order of the points, and returns them sorted.
class RowStore {
 public:
  using Number = NeighborList::Number;  ///< of a point
  /// For this number of points, none of which has partners yet.
  explicit RowStore(std::size_t points) : begin_(points), size_(points, 0) {}

  /// The partners of a point, ascending; at most once for each point.
  void add(Number point, const Number* partners, std::size_t count) {
    begin_[point] = found_.size();
    size_[point] = static_cast<Number>(count);
    found_.insert(found_.end(), partners, partners + count);
  }

  /// The rows in the order of the points; a point that was not added has none.
  NeighborList list() const {
    NeighborList list;
    list.begin.reserve(size_.size() + 1);
    list.partner.reserve(found_.size());
    for (std::size_t i = 0; i < size_.size(); ++i) {
      const auto row = found_.begin() + begin_[i];
      list.partner.insert(list.partner.end(), row, row + size_[i]);
      list.begin.push_back(list.partner.size());
    }
    return list;
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Number> size_, found_;
};

}  // namespace pithball::sim
