#include "sim/neighbors/neighbor_search.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

/// Searches only among the points within `farthest`, and maps the pairs to indices among all points.
template <class Search>
std::shared_ptr<const NeighborList> NeighborSearch::among_finite(const Points& x, double cutoff, Search search) {
  if (!(cutoff > 0) || !std::isfinite(cutoff))
    throw InvalidArgument({"", "cutoff", "must be > 0 m and finite", to_text(cutoff), "give the range of the force"});
  if ((x.array().abs() <= farthest).all()) {
    if (x.cols() >= 2) return search(x);
    return std::make_shared<NeighborList>(
        NeighborList{std::vector<std::size_t>(static_cast<std::size_t>(x.cols()) + 1, 0), {}});
  }
  std::vector<Index> kept;
  for (Index i = 0; i < x.cols(); ++i)
    if ((x.col(i).array().abs() <= farthest).all()) kept.push_back(i);
  const std::shared_ptr<const NeighborList> found = among_finite(x(Eigen::all, kept), cutoff, search);
  auto list = std::make_shared<NeighborList>();
  list->partner.reserve(found->partner.size());
  std::size_t next = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    if (next < kept.size() && kept[next] == i)
      for (const NeighborList::Number j : found->row(next++))
        list->partner.push_back(static_cast<NeighborList::Number>(kept[j]));
    list->begin.push_back(list->partner.size());
  }
  return list;
}

std::shared_ptr<const NeighborList> NeighborSearch::find(const Points& x, double cutoff, SearchCost* cost) const {
  SearchCost unasked;
  SearchCost& here = cost ? *cost : unasked;
  here = {name(), 0, 0};
  return among_finite(x, cutoff, [&](const Points& finite) { return do_find(finite, cutoff, here); });
}

std::shared_ptr<const NeighborList> NeighborSearch::candidates(const Points& x, double cutoff) const {
  return among_finite(x, cutoff, [&](const Points& finite) { return do_candidates(finite, cutoff); });
}

std::shared_ptr<const NeighborList> NeighborSearch::do_candidates(const Points& x, double cutoff) const {
  SearchCost unasked;
  return do_find(x, cutoff, unasked);
}

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
