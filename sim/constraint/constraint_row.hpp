#pragma once
#include <array>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/types.hpp"
#include "sim/model/values.hpp"

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

/// Values >= 0, one for each item of a list.
inline ValueTraits item_value(const std::string& name, const std::string& unit, ValueScaling scaling) {
  return {name, unit, ValueOwner::Term, ValueSign::NonNegative, scaling, true};
}

/// Throws InvalidArgument unless there is one value for each of `count` items.
inline void require_item_values(const std::string& what, const std::string& noun, Index count, const Vector& values) {
  if (values.size() != count)
    throw InvalidArgument({"", what, "must have one entry for each of the " + std::to_string(count) + " " + noun + "s",
                           std::to_string(values.size()), "give one value for all, or a list of that length"});
}

/// Throws InvalidArgument unless the particles of an item exist and differ.
inline void require_row_particles(const std::string& what, const std::vector<Index>& particles, Index count) {
  for (std::size_t k = 0; k < particles.size(); ++k) {
    if (particles[k] < 0 || particles[k] >= count)
      throw InvalidArgument({"", what, "must name particles between 0 and " + std::to_string(count - 1),
                             std::to_string(particles[k]), "particles are counted from 0"});
    for (std::size_t l = 0; l < k; ++l)
      if (particles[k] == particles[l])
        throw InvalidArgument({"", what, "must name different particles",
                               "particle " + std::to_string(particles[k]) + " twice", "remove it"});
  }
}

}  // namespace pithball::sim
