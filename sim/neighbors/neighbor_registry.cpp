#include "sim/neighbors/neighbor_registry.hpp"

#include "sim/core/error.hpp"
#include "sim/neighbors/cell_search.hpp"
#include "sim/neighbors/tree_search.hpp"
#include "sim/neighbors/verlet_list_search.hpp"

namespace pithball::sim {

const NeighborSearch& AutoSearch::chosen(const Points& x, double cutoff) const {
  if (x.cols() < crossover) return brute_force_;
  if (CellCoordinates(x, cutoff).cells() > CellListSearch::most_cells(x.cols())) return hashed_grid_;
  return cell_list_;
}

std::shared_ptr<const NeighborList> AutoSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  return chosen(x, cutoff).find(x, cutoff, &cost);
}

namespace {

std::vector<NeighborMethod> built_in_neighbor_methods() {
  return {
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
}

}  // namespace

const Registry<NeighborMethod>& neighbor_methods() {
  static const Registry<NeighborMethod> registry("neighbors", built_in_neighbor_methods());
  return registry;
}

std::shared_ptr<const NeighborSearch> make_neighbor_search(const std::string& method, double skin) {
  std::shared_ptr<const NeighborSearch> search = neighbor_methods().at(method).make(skin);
  if (skin == 0 || method == "verlet_list") return search;
  return std::make_shared<VerletListSearch>(std::move(search), skin);
}

}  // namespace pithball::sim
