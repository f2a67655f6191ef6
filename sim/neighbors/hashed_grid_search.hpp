#pragma once
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// An infinite grid of cubes as wide as the cutoff, of which only occupied ones exist, in a hash table (Teschner et
/// al., Optimized Spatial Hashing, VMV 2003; here with exact keys, so that no cube is visited twice). O(n) in time for
/// any arrangement of uniform density, and O(n) in memory for any arrangement.
class HashedGridSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "hashed_grid"; }

 private:
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
};

}  // namespace pithball::sim
