#pragma once
#include <memory>
#include <string>

#include "sim/neighbors/neighbor_list.hpp"

namespace pithball::sim {

/// |a − b|² [m²] of two points given by their coordinates. All searches and all forces use this formula in this order
/// of operations, so that they agree on pairs at the very edge of a cutoff.
inline double squared_distance(double ax, double ay, double az, double bx, double by, double bz) {
  const double x = ax - bx, y = ay - by, z = az - bz;
  return x * x + y * y + z * z;
}

/// Cost of a search.
struct SearchCost {
  std::string method;     ///< the method used; for `auto` its choice
  std::size_t cells = 0;  ///< cells, leaves or nodes of its grid or tree
  std::size_t bytes = 0;  ///< memory of its grid or tree [bytes]
};

/// Finds all pairs of points closer than a cutoff. Stateless for the caller; threads can share it.
class NeighborSearch {
 public:
  virtual ~NeighborSearch() = default;
  virtual std::string name() const = 0;  ///< as in the experiment file: "cell_list"

  /// The pairs i < j with |x_i − x_j| < cutoff [m], by `squared_distance`. A point that is not finite, or beyond
  /// `farthest`, has no neighbors: a diverging run then reports its status instead of crashing here. Throws
  /// InvalidArgument unless cutoff > 0 and finite.
  std::shared_ptr<const NeighborList> find(const Points& x, double cutoff, SearchCost* cost = nullptr) const;

  /// All of these pairs and possibly more, whichever is cheapest: for callers that check the distance anyway.
  std::shared_ptr<const NeighborList> candidates(const Points& x, double cutoff) const;

  /// Limit of coordinates whose squares do not overflow [m].
  static constexpr double farthest = 1e150;

 private:
  /// `x` within `farthest`, at least two points.
  virtual std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost& cost) const = 0;
  virtual std::shared_ptr<const NeighborList> do_candidates(const Points& x, double cutoff) const;

  template <class Search>
  static std::shared_ptr<const NeighborList> among_finite(const Points& x, double cutoff, Search search);
};

}  // namespace pithball::sim
