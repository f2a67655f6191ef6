#pragma once
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"

namespace pithball::sim {

/// Reference values of a sum at some of its points.
struct ReferenceSum {
  std::vector<Index> targets;  ///< which points, M of them
  Points field;                ///< [V/m], 3×M
  Vector potential;            ///< [V], M

  /// ‖e − reference‖ / ‖reference‖ over the targets, for the field e at all points (3×N). NaN if the reference is 0.
  double field_error(const Points& e) const;
  /// The same for the potential at all points (N).
  double potential_error(const Vector& phi) const;
};

/// `count` numbers in (0, 1), ascending, spread evenly but not in phase with any period (multiples of the golden
/// ratio).
std::vector<double> spread_places(Index count);

/// `most` point numbers out of 0…n−1, at `spread_places` of their order; all of them if n ≤ most. Ascending.
std::vector<Index> spread_targets(Index n, Index most);

/// Field and potential of charges q (N) at the targets by direct summation in `long double` (64 bits of mantissa on
/// x86): the yardstick for every method. O(NM), slow; parallel over targets.
ReferenceSum make_reference_sum(const Points& x, const Vector& q, std::vector<Index> targets, double softening = 0);

}  // namespace pithball::sim
