#pragma once
#include <memory>
#include <string>

#include "sim/neighbors/neighbor_list.hpp"

namespace pithball::sim {

/// |a − b|² [m²] of two points given by their coordinates. All searches and all forces decide by this one sum in this
/// one order, so that a pair at the very edge of a cut-off is in or out for all of them.
inline double squared_distance(double ax, double ay, double az, double bx, double by, double bz) {
  const double x = ax - bx, y = ay - by, z = az - bz;
  return x * x + y * y + z * z;
}

/// What a search needed besides the list that it returned.
struct SearchCost {
  std::string method;     ///< that did the work; of `auto` the one it chose
  std::size_t cells = 0;  ///< cells, leaves or nodes of its grid or tree
  std::size_t bytes = 0;  ///< memory of its grid or tree [B]
};

/// Finds all pairs of points closer than a cut-off. Stateless as far as a caller can see, and shared by threads.
class NeighborSearch {
 public:
  virtual ~NeighborSearch() = default;
  virtual std::string name() const = 0;

  /// The pairs i < j with |x_i − x_j| < cutoff [m], by `squared_distance`. A point that is not finite, or beyond
  /// `farthest`, has no neighbors: a run that diverges says so by its status, and no search may crash before. Throws
  /// InvalidArgument unless cutoff > 0 and finite.
  std::shared_ptr<const NeighborList> find(const Points& x, double cutoff, SearchCost* cost = nullptr) const;

  /// All of these pairs and perhaps some more, whichever costs least: for callers that look at the distance anyway.
  std::shared_ptr<const NeighborList> candidates(const Points& x, double cutoff) const;

  /// Coordinates of which squares can be taken [m].
  static constexpr double farthest = 1e150;

 private:
  /// `x` within `farthest`, at least two points.
  virtual std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost& cost) const = 0;
  virtual std::shared_ptr<const NeighborList> do_candidates(const Points& x, double cutoff) const;

  template <class Search>
  static std::shared_ptr<const NeighborList> among_finite(const Points& x, double cutoff, Search search);
};

}  // namespace pithball::sim
