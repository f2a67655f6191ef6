#pragma once
#include <functional>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/neighbors/cell_search.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// The fastest search for these points: `brute_force` below `crossover` points, `hashed_grid` if the box around them
/// has more cells than a cell list may have, `cell_list` otherwise.
///
/// The choice is made at every search: all methods find the same list, so it affects only the time.
class AutoSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "auto"; }

  /// Name of the search that it would use.
  std::string choice(const Points& x, double cutoff) const { return chosen(x, cutoff).name(); }
  /// Number of points from which cells pay off.
  static constexpr Index crossover = 200;

 private:
  const NeighborSearch& chosen(const Points& x, double cutoff) const;
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;

  BruteForceSearch brute_force_;
  CellListSearch cell_list_;
  HashedGridSearch hashed_grid_;
};

/// A neighbor search, as named in experiments and benchmarks.
struct NeighborMethod {
  std::string name;                                                        ///< "cell_list"
  std::string summary;                                                     ///< one phrase
  std::function<std::shared_ptr<const NeighborSearch>(double skin)> make;  ///< skin [m]: used by `verlet_list` only
};

/// All methods; `auto` first.
const Registry<NeighborMethod>& neighbor_methods();

/// The search with this name; with a skin > 0 [m], a Verlet list that uses it. Throws InvalidArgument for an unknown
/// name.
std::shared_ptr<const NeighborSearch> make_neighbor_search(const std::string& method, double skin = 0);

}  // namespace pithball::sim
