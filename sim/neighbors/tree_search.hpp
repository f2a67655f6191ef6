#pragma once
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// A k-d tree (Bentley 1975; the library nanoflann), queried around each point: O(n log n) for any arrangement and
/// cutoff, slower than cells where these work well.
class TreeSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "tree"; }

 private:
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
};

}  // namespace pithball::sim
