#pragma once
#include <array>

#include "sim/coulomb/fmm/far_field.hpp"

namespace pithball::sim::fmm {

// Whether an order of expansion keeps the tolerance for given charges: at a few points, field and potential are also
// summed directly. Where charges alternate in a lattice, near fields cancel and the errors of expansions add up in
// phase, so that orders that suffice for irregular charges miss the tolerance by factors of up to 300.

/// Σ|e|² and Σφ² over points without [0] and with charge [1], or of errors of them; without k_c.
struct SquareSums {
  std::array<double, 2> field{},  ///< [(V/m / k_c)²]
      potential{};                ///< [(V / k_c)²]

  /// Adds a point, or `weight` points like it.
  void add(bool charged, const Eigen::Vector4d& field_and_potential, double weight = 1);
};

/// √(largest ratio of two sums): the relative L2 error of the field or the potential, in the group where it is larger.
/// Groups without error count as 0.
double relative_error(const SquareSums& errors, const SquareSums& sums);

/// Positions [m] and charges of all points, by place.
struct PlacedCharges {
  const direct::Channels &x,  ///< three channels
      &charge;                ///< one channel
};

/// Estimates over all points, from a few of each group.
struct SampledSums {
  SquareSums sums,  ///< of what is summed directly
      errors;       ///< of near sums and expansions together against it
};
/// O(n) with a small factor. The same for any number of threads.
SampledSums sample_sums(const FmmStructure& structure, const FarField& far, const PlacedCharges& charges,
                        const Expansions& expansions);

}  // namespace pithball::sim::fmm
