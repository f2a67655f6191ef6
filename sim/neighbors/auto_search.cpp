#include "sim/neighbors/auto_search.hpp"

#include "sim/neighbors/cell_coordinates.hpp"

namespace pithball::sim {

const NeighborSearch& AutoSearch::chosen(const Points& x, double cutoff) const {
  if (x.cols() < crossover) return brute_force_;
  if (CellCoordinates(x, cutoff).cells() > CellListSearch::most_cells(x.cols())) return hashed_grid_;
  return cell_list_;
}

std::shared_ptr<const NeighborList> AutoSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  return chosen(x, cutoff).find(x, cutoff, &cost);
}

}  // namespace pithball::sim
