#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Pairs (i, j) of points with i < j, each once, in rows: the partners of point i are partner[begin[i] … begin[i + 1]),
/// ascending. Sums along the rows do not depend, bit for bit, on how the list was found.
struct NeighborList {
  using Number =
      std::uint32_t;  ///< index of a point; half the size of Index, since memory dominates the cost of a list

  std::vector<std::size_t> begin{0};  ///< one entry more than there are points
  std::vector<Number> partner;        ///< one entry for each pair

  /// Number of points, also of those without partners.
  Index points() const { return static_cast<Index>(begin.size()) - 1; }
  Index pairs() const { return partner.size(); }  ///< number of pairs
  /// The partners j > i of point i, ascending.
  std::span<const Number> row(Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return {partner.data() + begin[k], begin[k + 1] - begin[k]};
  }
  bool operator==(const NeighborList&) const = default;  ///< the same points and pairs
};

}  // namespace pithball::sim
