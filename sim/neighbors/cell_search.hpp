#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/core/types.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// A grid of cubes starting at the smallest corner of some points, and the cube of each point.
///
/// Pairs closer than the cutoff are in one cube or in two adjacent ones. The cubes are wider than the cutoff by a
/// millionth, which exceeds the rounding of a point's position on an axis of at most 2³⁰ cubes; for a longer axis, the
/// cubes are made wider.
class CellCoordinates {
 public:
  using Cell = std::array<std::int64_t, 3>;  ///< number of a cube along x, y and z, from 0

  /// At least one point x [m], 3×N, all finite; cutoff > 0 [m].
  CellCoordinates(const Points& x, double cutoff) : low_(x.rowwise().minCoeff()) {
    extent_ = x.rowwise().maxCoeff() - low_;
    set_side(std::max((1 + 1e-6) * cutoff, extent_.maxCoeff() / (1 << 30)));
  }

  void set_side(double side) { side_ = side; }  ///< in place of the one chosen, not smaller [m]
  double side() const { return side_; }         ///< of a cube [m]
  /// Cubes along axis a, at least 1.
  std::int64_t count(int a) const { return static_cast<std::int64_t>(extent_[a] / side_) + 1; }
  /// As a number that does not overflow.
  double cells() const {
    return static_cast<double>(count(0)) * static_cast<double>(count(1)) * static_cast<double>(count(2));
  }
  /// The cube that contains p [m], one of the points.
  template <class Point>
  Cell of(const Point& p) const {
    const auto along = [&](int a) { return static_cast<std::int64_t>((p[a] - low_[a]) / side_); };
    return {along(0), along(1), along(2)};
  }

 private:
  Vec3 low_, extent_;  // [m]
  double side_ = 0;    // [m]
};

/// A cell list: the box around the points, divided into cubes at least as wide as the cutoff; partners of a point are
/// in its own cube and the 26 around it (Allen and Tildesley, Computer Simulation of Liquids, 2nd ed., 2017, §5.3.2).
/// O(n) for points that fill the box evenly.
///
/// There are at most `most_cells(n)` cubes: in a sparse box they are made wider, which costs time where points are
/// dense; `hashed_grid` is for such boxes.
class CellListSearch final : public NeighborSearch {
 public:
  std::string name() const override { return "cell_list"; }

  /// Largest number of cubes for n points.
  static double most_cells(Index n) { return 64 + 8 * static_cast<double>(n); }

 private:
  std::shared_ptr<const NeighborList> do_find(const Points& x, double cutoff, SearchCost&) const override;
};

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
