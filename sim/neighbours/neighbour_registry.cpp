#include "sim/neighbours/neighbour_registry.hpp"

#include "sim/core/error.hpp"
#include "sim/neighbours/auto_search.hpp"
#include "sim/neighbours/tree_search.hpp"
#include "sim/neighbours/verlet_list_search.hpp"

namespace pithball::sim {

const std::vector<NeighbourMethod>& neighbour_methods() {
  static const std::vector<NeighbourMethod> registry{
      {"auto", "the fastest of the next three for this number of points and the space between them",
       [](double) { return std::make_shared<AutoSearch>(); }},
      {"brute_force", "every pair, O(n²)", [](double) { return std::make_shared<BruteForceSearch>(); }},
      {"cell_list", "cells over the box around the points, O(n) where they fill it",
       [](double) { return std::make_shared<CellListSearch>(); }},
      {"hashed_grid", "an infinite grid of which only cells with points exist, O(n) wherever they are",
       [](double) { return std::make_shared<HashedGridSearch>(); }},
      {"tree", "a k-d tree, O(n log n) whatever the cut-off", [](double) { return std::make_shared<TreeSearch>(); }},
      {"verlet_list", "a list to cut-off + skin, made by auto and kept until a particle has moved by skin/2",
       [](double skin) { return std::make_shared<VerletListSearch>(std::make_shared<AutoSearch>(), skin); }},
  };
  return registry;
}

std::shared_ptr<const NeighbourSearch> make_neighbour_search(const std::string& method, double skin) {
  std::string names;
  for (const NeighbourMethod& known : neighbour_methods()) {
    if (known.name == method) {
      auto search = known.make(skin);
      if (skin == 0 || method == "verlet_list") return search;
      return std::make_shared<VerletListSearch>(std::move(search), skin);
    }
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw InvalidArgument({"", "neighbours", "must be one of " + names, method, "choose one of them"});
}

}  // namespace pithball::sim
