#include "sim/neighbors/brute_force_search.hpp"

namespace pithball::sim {

std::shared_ptr<const NeighborList> BruteForceSearch::do_find(const Points& x, double cutoff, SearchCost&) const {
  auto list = std::make_shared<NeighborList>();
  list->begin.reserve(static_cast<std::size_t>(x.cols()) + 1);
  const double cutoff2 = cutoff * cutoff;
  for (Index i = 0; i < x.cols(); ++i) {
    for (Index j = i + 1; j < x.cols(); ++j)
      if (squared_distance(x(0, i), x(1, i), x(2, i), x(0, j), x(1, j), x(2, j)) < cutoff2)
        list->partner.push_back(static_cast<NeighborList::Number>(j));
    list->begin.push_back(list->partner.size());
  }
  return list;
}

}  // namespace pithball::sim
