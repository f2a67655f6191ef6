#pragma once
#include <functional>
#include <vector>

#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// A neighbor search, as named in experiments and benchmarks.
struct NeighborMethod {
  std::string name;                                                        ///< "cell_list"
  std::string summary;                                                     ///< one phrase
  std::function<std::shared_ptr<const NeighborSearch>(double skin)> make;  ///< skin [m]: used by `verlet_list` only
};

/// All methods; `auto` first.
const std::vector<NeighborMethod>& neighbor_methods();

/// The search with this name; with a skin > 0 [m], a Verlet list that uses it. Throws InvalidArgument for an unknown
/// name.
std::shared_ptr<const NeighborSearch> make_neighbor_search(const std::string& method, double skin = 0);

}  // namespace pithball::sim
