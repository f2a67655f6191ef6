#pragma once
#include <memory>

#include "sim/coulomb/fmm/expansion.hpp"
#include "sim/coulomb/fmm/octree.hpp"
#include "sim/coulomb/fmm/translation.hpp"

namespace pithball::sim::fmm {

/// The order of expansion at which the relative L2 error of the field stays below the tolerance for points on surfaces,
/// in space and in clusters, with charges of one sign, mixed and neutral; charges in order may need more
/// (`sample_sums`). Measured: tests/sim/coulomb/test_fmm_accuracy.cpp measures it again, docs/coulomb.md has the table.
int order_for(double tolerance);

/// The order ≤ `order` at which two boxes |offset|² = r2 box sides apart interact: distant boxes need fewer degrees for
/// the error that the nearest ones (r2 = 4) have with all of them.
int order_at_distance(int order, int r2);

/// What does not depend on the points: all matrices for one order of expansion, and what they cost.
struct Operators {
  /// For expansions of degrees 0…order; takes milliseconds, so that `of` is to be preferred.
  explicit Operators(int order);
  /// Made once for each order (milliseconds) and shared by all sums of the process.
  static std::shared_ptr<const Operators> of(int order);

  /// Measured, for expansions of this order.
  static Costs costs_of(int order);

  Translations translations;  ///< between boxes of all offsets that occur
  PointExpansion points;      ///< between points and expansions
  Costs costs;                ///< of expansions of this order

  int order() const { return points.order(); }  ///< highest degree of an expansion
  /// Numbers from one expansion to the next in memory: whole vectors.
  Index stride() const { return (coefficients(order()) + 7) / 8 * 8; }
};

}  // namespace pithball::sim::fmm
