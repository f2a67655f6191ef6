#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Pairs (i, j) of points with i < j, each once, in rows: the partners of point i are partner[begin[i] … begin[i + 1]),
/// ascending. Sums along the rows do not depend, bit for bit, on how the list was found.
struct NeighborList {
  using Number =
      std::uint32_t;  ///< index of a point; half the size of Index, since memory dominates the cost of a list

  std::vector<std::size_t> begin{0};  ///< one entry more than there are points
  std::vector<Number> partner;        ///< one entry for each pair

  /// Number of points, also of those without partners.
  Index points() const { return static_cast<Index>(begin.size()) - 1; }
  Index pairs() const { return partner.size(); }  ///< number of pairs
  /// The partners j > i of point i, ascending.
  std::span<const Number> row(Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return {partner.data() + begin[k], begin[k + 1] - begin[k]};
  }
  bool operator==(const NeighborList&) const = default;  ///< the same points and pairs
};

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

/// Collects the rows of a list in any order of the points, and returns them sorted.
class RowStore {
 public:
  using Number = NeighborList::Number;  ///< of a point
  /// For this number of points, none of which has partners yet.
  explicit RowStore(std::size_t points) : begin_(points), size_(points, 0) {}

  /// The partners of a point, ascending; at most once for each point.
  void add(Number point, const Number* partners, std::size_t count) {
    begin_[point] = found_.size();
    size_[point] = static_cast<Number>(count);
    found_.insert(found_.end(), partners, partners + count);
  }

  /// The rows in the order of the points; a point that was not added has none.
  NeighborList list() const {
    NeighborList list;
    list.begin.reserve(size_.size() + 1);
    list.partner.reserve(found_.size());
    for (std::size_t i = 0; i < size_.size(); ++i) {
      const auto row = found_.begin() + begin_[i];
      list.partner.insert(list.partner.end(), row, row + size_[i]);
      list.begin.push_back(list.partner.size());
    }
    return list;
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Number> size_, found_;
};

/// Checks every pair, O(n²): the fastest below some hundred points, and the reference for the others.
class BruteForceSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "brute_force"; }

 private:
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
};

}  // namespace pithball::sim
