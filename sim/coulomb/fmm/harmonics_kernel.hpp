#pragma once
#include <cstdint>

#include "sim/coulomb/fmm/solid_harmonics.hpp"

namespace pithball::sim::fmm {

/// Points begin ≤ i < end of three coordinate arrays; both are multiples of `point_group` and the arrays are aligned
/// and padded accordingly (padding must lie where the harmonics are finite).
struct PointRange {
  const double* x[3] = {};  ///< coordinate arrays [m], by place
  std::int64_t begin = 0,   ///< first point
      end = 0;              ///< one past the last point
};
/// Points are worked on in groups of this many.
inline constexpr std::int64_t point_group = 8;

/// Where harmonics are taken: of u = (x − center)/side.
struct Frame {
  Vec3 center = Vec3::Zero();  ///< where u = 0 [m]
  double side = 1;             ///< of the box [m], the unit of u
};

/// How many weights a point can carry (charge and dipole).
inline constexpr int max_weights = 4;
/// How many numbers can be evaluated at a point (potential, field, gradient).
inline constexpr int max_values = 10;

/// moments[k·count + c] += Σ_i weight[k][i] H_c(u_i) for k = 0…weights − 1 and count = coefficients(recurrence.order).
/// weights: 1, 3 or 4. `scratch`: aligned, point_group·weights·count doubles.
void add_moments(Harmonics kind, const Recurrence& recurrence, const Frame& frame, const PointRange& points,
                 int weights, const double* const* weight, double* moments, double* scratch);

/// value[k][i] += Σ_c expansion[c·values + k] H_c(u_i) for k = 0…values − 1. values: 1, 3, 4, 9 or 10.
void add_values(Harmonics kind, const Recurrence& recurrence, const Frame& frame, const PointRange& points, int values,
                const double* expansion, double* const* value);

}  // namespace pithball::sim::fmm
