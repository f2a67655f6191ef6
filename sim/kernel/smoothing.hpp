#pragma once
// Smoothing kernels of smoothed-particle hydrodynamics: W(r) with ∫ W dV = 1 in two or three dimensions, zero for r ≥
// 2h.

#include <cmath>
#include <numbers>

namespace pithball::sim::kernel {

/// W and its slope at one distance.
struct Smoothed {
  double value = 0;  ///< W [1/m^d]
  double slope = 0;  ///< W′/r [1/m^(d+2)], so that ∇W = slope · r
};

/// The cubic spline M4 (Monaghan, Lattanzio, Astron. Astrophys. 149, 1985, Eq. 21).
struct CubicSpline {
  double h,   ///< smoothing length [m]
      scale;  ///< W at r = 0 [1/m^d]
  /// `length`: h > 0 [m]; d = 2 or 3 dimensions.
  CubicSpline(double length, int dimensions)
      : h(length),
        scale(dimensions == 2 ? 10 / (7 * std::numbers::pi * length * length)
                              : 1 / (std::numbers::pi * length * length * length)) {}
  /// W and W′/r at r ≥ 0 [m]; both 0 for r ≥ 2h.
  Smoothed operator()(double r) const {
    const double q = r / h, per_area = scale / (h * h);
    if (q >= 2) return {};
    if (q < 1) return {scale * (1 - 1.5 * q * q + 0.75 * q * q * q), per_area * (2.25 * q - 3)};
    const double rest = 2 - q;
    return {scale * 0.25 * rest * rest * rest, -per_area * 0.75 * rest * rest / q};
  }
};

/// The C² function of Wendland (Adv. Comput. Math. 4, 1995), which prevents particles from pairing (Dehnen, Aly, MNRAS
/// 425, 2012, Table 1, here with support 2h).
struct WendlandC2 {
  double h,   ///< smoothing length [m]
      scale;  ///< W at r = 0 [1/m^d]
  /// `length`: h > 0 [m]; d = 2 or 3 dimensions.
  WendlandC2(double length, int dimensions)
      : h(length),
        scale(dimensions == 2 ? 7 / (4 * std::numbers::pi * length * length)
                              : 21 / (16 * std::numbers::pi * length * length * length)) {}
  /// W and W′/r at r ≥ 0 [m]; both 0 for r ≥ 2h.
  Smoothed operator()(double r) const {
    const double q = r / h, rest = 1 - q / 2;
    if (q >= 2) return {};
    const double cubed = rest * rest * rest;
    return {scale * cubed * rest * (2 * q + 1), -5 * scale / (h * h) * cubed};
  }
};

}  // namespace pithball::sim::kernel
