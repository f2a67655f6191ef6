#pragma once
#include <array>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// How many particles one row can tie together.
inline constexpr Index most_row_particles = 4;

/// One scalar condition on a few particles.
struct ConstraintRow {
  Index item = 0;   ///< the constraint's own number for it: a link, a pin and its axis, …
  Index count = 0;  ///< how many of `particles` it ties, 1 to 4
  std::array<Index, most_row_particles> particles{};
};

/// A vector for each particle of a row, in the row's order: positions [m], or ∂C/∂x. Columns beyond its count are not
/// used.
using RowPoints = Eigen::Matrix<double, 3, most_row_particles>;

/// Where the numbers of a row stand in the flat vector of a model's values; −1: it has none. C may depend on one value.
struct RowValues {
  Index value = -1;       ///< of C itself: a length
  double slope = 0;       ///< ∂C/∂value
  Index compliance = -1;  ///< α
  Index damping = -1;     ///< β
};

/// The positions of a row's particles.
inline RowPoints row_points(const ConstraintRow& row, const Points& x) {
  RowPoints at;
  for (Index k = 0; k < row.count; ++k) at.col(k) = x.col(row.particles[k]);
  return at;
}

}  // namespace pithball::sim
