#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/core/types.hpp"

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

}  // namespace pithball::sim
