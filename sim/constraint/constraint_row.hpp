#pragma once
#include <array>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Maximum number of particles in a row.
inline constexpr Index most_row_particles = 4;

/// One scalar condition on a few particles.
struct ConstraintRow {
  Index item = 0;                                     ///< index within the constraint: a link, a pin and its axis, …
  Index count = 0;                                    ///< number of `particles` used, 1 to 4
  std::array<Index, most_row_particles> particles{};  ///< the first `count` are used
};

/// A vector for each particle of a row, in the row's order: positions [m], or ∂C/∂x. Further columns are unused.
using RowPoints = Eigen::Matrix<double, 3, most_row_particles>;

/// Indices of a row's values in the flat vector of a model's values; −1: none. C may depend on one value.
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
