#pragma once
#include <array>
#include <limits>
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Position and velocity of a marker at simulated time 0, in the model's frame of reference, estimated from its first
/// frames alone. Components are independent: each has its own covariance.
struct LocalStart {
  Vec3 x = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());  ///< [m]; NaN: too few samples
  Vec3 v = x;                                                         ///< [m/s]; likewise
  std::array<Eigen::Matrix2d, 3> covariance = {};                     ///< of (x_a, v_a) [m², m²/s, m²/s²]
  std::array<Index, 3> samples = {};                                  ///< number of frames that contain the component

  /// Whether x and v of this component are known.
  bool is_seen(int component) const { return !std::isnan(x[component]); }
  /// Standard deviations of x_a [m] and v_a [m/s] for a Gaussian prior that adds little to the same frames' residuals:
  /// n times the variance, the information of one frame of n (Kass and Wasserman, J. Am. Stat. Assoc. 90, 1995), and
  /// twice that, because x and v are treated as independent: 2 diag Σ is never less than Σ, whatever their correlation.
  Eigen::Vector2d weak_deviation(int component) const;
  /// L with L Lᵀ = covariance[component], lower triangular; columns of a singular one are 0.
  Eigen::Matrix2d error_root(int component) const;
};

/// The estimates for all markers of a recording.
struct LocalStarts {
  Index frames = 0;  ///< n, the first frames, which form the window
  int degree = 0;    ///< d, of the polynomial: 3, or n − 1 if that is less
  double span = 0;   ///< simulated time of the window's last frame [s]; the polynomial is evaluated at 0
  /// Shortest period of the recorded motion [s]; ∞: none is distinguishable from noise.
  double shortest_period = std::numeric_limits<double>::infinity();
  std::vector<LocalStart> markers;  ///< M, in the order of the recording

  /// Whether the window exceeds a quarter of the shortest period: no polynomial can then determine the initial state.
  bool is_too_coarse() const { return span > shortest_period / 4; }
};

/// Minimum number of frames in a window, for a parabola.
inline constexpr Index least_start_frames = 3;
/// Maximum number, to limit the cost.
inline constexpr Index most_start_frames = 50;

/// The shortest period distinguishable from noise of standard deviation `sigma` [m], in recorded time [s]:
///    4 sin²(π h/T) = S_{p+1}/S_p,   S_p = mean (Δᵖx)² − C(2p, p) sigma²,
/// with h the usual frame interval and p ≤ 3 the highest order for which S_{p+1} exceeds 4 of its own standard errors
/// (S_0: the variance in time). The ratio is exact for one frequency; for several it is their mean weighted by the
/// power of the p-th derivative, in which the fast ones dominate. If the first differences have significantly more than
/// twice the variance, a motion of fewer than four frames per period looks like noise at all orders; T is then that of
/// p = 0 without sigma. ∞: no order qualifies.
double shortest_period(const Observation& observation, double sigma);

/// Fits polynomials of degree 3 (for three frames, 2) to the first frames of every component by least squares:
///    (x, v) at simulated time 0,   Σ = sigma² (BᵀB)⁻¹ + b bᵀ c²,
/// where the first term is the noise and the second the truncation error: b = (BᵀB)⁻¹Bᵀ t^{d+1} is the effect of a term
/// of the next order on (x, v), with an estimated coefficient c = ω c_d/(d + 1), ω that of the shortest period, c_d the
/// RMS of the fitted highest coefficients over all markers and components minus the noise. The window is a quarter of
/// the shortest period, with at least three frames; it is shortened by a fifth as long as its residuals exceed the
/// noise by 4 standard deviations of χ², or the truncation error exceeds a third of the noise, since all markers may
/// share that error. Frames that are not fitted are left out, unless all are. A component is not estimated if it has
/// fewer samples than the polynomial has coefficients, or if its position in the model's frame of reference depends on
/// a missing component. The noise of the observation must be known; if the tracks scatter more, their noise
/// (track_noise.hpp) is used.
LocalStarts fit_local_starts(const Observation& observation);

}  // namespace pithball::optim
