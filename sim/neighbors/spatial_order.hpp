#pragma once
#include <vector>

#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// An order of the points in which neighbors in space are close to each other; empty if their present order is good
/// enough: there are fewer than `order_from` points, or most are within a few cutoffs [m] of the next one.
///
/// Points are in cubes numbered along Morton's curve (Morton 1966), those of a cube in their own order, so that the
/// result depends only on the positions. O(n).
std::vector<NeighborList::Number> spatial_order(const Points& x, double cutoff);

/// Fewer points fit into the cache anyway.
inline constexpr Index order_from = 20000;

}  // namespace pithball::sim
