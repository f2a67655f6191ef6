#pragma once
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// Checks every pair, O(n²): the fastest below some hundred points, and the reference for the others.
class BruteForceSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "brute_force"; }

 private:
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
};

}  // namespace pithball::sim
