#include "sim/neighbours/auto_search.hpp"

#include "sim/neighbours/cell_coordinates.hpp"

namespace pithball::sim {

const NeighbourSearch& AutoSearch::chosen(const Points& x, double cutoff) const {
  if (x.cols() < crossover) return brute_force_;
  if (CellCoordinates(x, cutoff).cells() > CellListSearch::most_cells(x.cols())) return hashed_grid_;
  return cell_list_;
}

std::shared_ptr<const NeighbourList> AutoSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  return chosen(x, cutoff).find(x, cutoff, &cost);
}

}  // namespace pithball::sim
