#pragma once
#include <mutex>

#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// A Verlet list (Verlet 1967): the pairs closer than cutoff + skin, found by another search, are reused as candidates
/// until a point has moved by more than half the skin.
///
/// The list is a cache and does not affect results: it is never modified, only replaced, and `find` leaves out the
/// pairs beyond the cutoff, as forces do. Threads may share the search; two alternating runs rebuild the list more
/// often.
class VerletListSearch final : public NeighborSearch {
 public:
  /// skin ≥ 0 [m]; throws InvalidArgument otherwise.
  VerletListSearch(std::shared_ptr<const NeighborSearch> within, double skin);
  std::string name() const override { return "verlet_list"; }

  /// Number of rebuilds.
  long searches() const;

 private:
  /// A list with the positions and the distance for which it was built.
  struct Kept {
    Points x;
    double reach;
    std::shared_ptr<const NeighborList> list;
  };
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
  std::shared_ptr<const NeighborList> do_candidates(const Points& x, double cutoff) const override;

  std::shared_ptr<const NeighborSearch> within_;
  double skin_;  // [m]
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Kept> kept_;
  mutable long searches_ = 0;
};

}  // namespace pithball::sim
