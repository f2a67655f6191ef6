#pragma once
#include <vector>

#include "sim/neighbors/neighbor_list.hpp"

namespace pithball::sim {

/// An order of the points, by number, in which neighbors in space are near each other; empty where the order that they
/// have serves: there are fewer than `order_from` of them, or most are within a few cut-offs [m] of the next one.
///
/// Points lie in cubes numbered along Morton's curve (Morton 1966), those of a cube in their own order, so that the
/// result depends on the positions only. O(n).
std::vector<NeighborList::Number> spatial_order(const Points& x, double cutoff);

/// Fewer points are in fast memory anyway.
inline constexpr Index order_from = 20000;

}  // namespace pithball::sim
