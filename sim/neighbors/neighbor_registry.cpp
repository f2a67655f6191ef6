#include "sim/neighbors/neighbor_registry.hpp"

#include "sim/core/error.hpp"
#include "sim/neighbors/auto_search.hpp"
#include "sim/neighbors/tree_search.hpp"
#include "sim/neighbors/verlet_list_search.hpp"

namespace pithball::sim {

const std::vector<NeighborMethod>& neighbor_methods() {
  static const std::vector<NeighborMethod> registry{
      {"auto", "the fastest of the next three for this number and density of points",
       [](double) { return std::make_shared<AutoSearch>(); }},
      {"brute_force", "every pair, O(n²)", [](double) { return std::make_shared<BruteForceSearch>(); }},
      {"cell_list", "cells over the box around the points, O(n) if the points fill it",
       [](double) { return std::make_shared<CellListSearch>(); }},
      {"hashed_grid", "an unbounded grid that stores only occupied cells, O(n) for any distribution",
       [](double) { return std::make_shared<HashedGridSearch>(); }},
      {"tree", "a k-d tree, O(n log n) for any cutoff", [](double) { return std::make_shared<TreeSearch>(); }},
      {"verlet_list", "a list up to cutoff + skin, built by auto and reused until a particle has moved by skin/2",
       [](double skin) { return std::make_shared<VerletListSearch>(std::make_shared<AutoSearch>(), skin); }},
  };
  return registry;
}

std::shared_ptr<const NeighborSearch> make_neighbor_search(const std::string& method, double skin) {
  std::string names;
  for (const NeighborMethod& known : neighbor_methods()) {
    if (known.name == method) {
      auto search = known.make(skin);
      if (skin == 0 || method == "verlet_list") return search;
      return std::make_shared<VerletListSearch>(std::move(search), skin);
    }
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw InvalidArgument({"", "neighbors", "must be one of " + names, method, "choose one of them"});
}

}  // namespace pithball::sim
