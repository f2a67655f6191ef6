#include "sim/neighbors/verlet_list_search.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

VerletListSearch::VerletListSearch(std::shared_ptr<const NeighborSearch> within, double skin)
    : within_(std::move(within)), skin_(skin) {
  if (!(skin >= 0) || !std::isfinite(skin))
    throw InvalidArgument(
        {"", "skin", "must be >= 0 m and finite", to_text(skin), "a tenth of the cutoff is a good start"});
}

long VerletListSearch::searches() const {
  const std::lock_guard lock(mutex_);
  return searches_;
}

std::shared_ptr<const NeighborList> VerletListSearch::do_candidates(const Points& x, double cutoff) const {
  const auto kept = [&] {
    const std::lock_guard lock(mutex_);
    return kept_;
  }();
  if (kept && kept->x.cols() == x.cols()) {
    // The distance between two points has decreased by at most twice this; the factor 1e-6 covers rounding.
    const double moved = std::sqrt((x - kept->x).colwise().squaredNorm().maxCoeff());
    if (cutoff + (2 + 1e-6) * moved <= kept->reach) return kept->list;
  }
  auto made = std::make_shared<Kept>(Kept{x, cutoff + skin_, within_->find(x, cutoff + skin_)});
  const std::lock_guard lock(mutex_);
  ++searches_;
  kept_ = made;
  return made->list;
}

std::shared_ptr<const NeighborList> VerletListSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  const auto candidates = do_candidates(x, cutoff);
  cost.bytes = candidates->partner.capacity() * sizeof(NeighborList::Number) +
               candidates->begin.capacity() * sizeof(std::size_t) + x.size() * sizeof(double);
  auto list = std::make_shared<NeighborList>();
  list->begin.reserve(candidates->begin.size());
  const double cutoff2 = cutoff * cutoff;
  for (Index i = 0; i < x.cols(); ++i) {
    for (const NeighborList::Number j : candidates->row(i))
      if (squared_distance(x(0, i), x(1, i), x(2, i), x(0, j), x(1, j), x(2, j)) < cutoff2) list->partner.push_back(j);
    list->begin.push_back(list->partner.size());
  }
  return list;
}

}  // namespace pithball::sim
