#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::experiments {

/// One search of one cloud.
struct NeighborRow {
  std::string method;
  sim::Index points = 0, pairs = 0;
  double seconds = 0;    ///< of processor time, the least of several searches
  sim::SearchCost cost;  ///< cells and memory
};

/// A cube of side (points/density)^⅓ m with points drawn evenly and in no order, so that neighbors in space are far
/// apart in memory.
sim::Points even_cloud(sim::Index points, double density);

/// The methods that searches of this many points are worth timing by: all methods of the registry that search
/// themselves, brute force up to 20,000 points; and `sph`, a sum of the forces of a fluid, which searches by `auto`.
std::vector<std::string> timed_methods(sim::Index points);

/// Lets each method find the pairs of an even cloud closer than 1 m, in turns. `density` [1/m³].
std::vector<NeighborRow> measure_neighbors(sim::Index points, double density, const std::vector<std::string>& methods,
                                           int repeats);

/// p of seconds ∝ pointsᵖ by least squares in the logarithms of a method's rows; NaN for fewer than two.
double cost_exponent(const std::vector<NeighborRow>& rows, const std::string& method);

}  // namespace pithball::experiments
