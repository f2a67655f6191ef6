#pragma once
#include <array>
#include <limits>
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Where a marker was at simulated time 0 and how fast, in the model's frame, from its first frames alone. Components
/// do not depend on one another: each has a covariance of its own.
struct LocalStart {
  Vec3 x = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());  ///< [m]; NaN: not seen often enough
  Vec3 v = x;                                                         ///< [m/s]; likewise
  std::array<Eigen::Matrix2d, 3> covariance = {};                     ///< of (x_a, v_a) [m², m²/s, m²/s²]
  std::array<Index, 3> samples = {};                                  ///< frames that the component was seen in

  bool is_seen(int component) const { return !std::isnan(x[component]); }
  /// Deviations of x_a [m] and v_a [m/s] of a Gaussian prior that beside the same frames' residuals adds little: n
  /// times the variance, what one frame of n knows (Kass and Wasserman, J. Am. Stat. Assoc. 90, 1995), and twice that,
  /// because x and v are told apart there: 2 diag Σ is never less than Σ, whatever their correlation.
  Eigen::Vector2d weak_deviation(int component) const;
};

/// The starts of all markers of a recording.
struct LocalStarts {
  Index frames = 0;  ///< n, of the window: the first frames
  int degree = 0;    ///< d, of the polynomial: 3, or n − 1 if that is less
  double span = 0;   ///< simulated time of the window's last frame [s]; the polynomial is asked for its value at 0
  /// Of the recorded motion [s]; ∞: none stands out of the noise.
  double shortest_period = std::numeric_limits<double>::infinity();
  std::vector<LocalStart> markers;

  /// A window that spans more than a quarter of the shortest period: no polynomial tells where the motion began.
  bool is_too_coarse() const { return span > shortest_period / 4; }
};

/// Fewest frames of a window: those of a parabola. And most: more only cost time.
inline constexpr Index least_start_frames = 3, most_start_frames = 50;

/// The shortest period that stands out of the noise of standard deviation `sigma` [m], in recorded time [s]:
///    4 sin²(π h/T) = S_{p+1}/S_p,   S_p = mean (Δᵖx)² − C(2p, p) sigma²,
/// h the usual interval of the frames and p, at most 3, the highest order for which S_{p+1} is more than 4 of its own
/// standard errors (S_0: the variance about the mean in time). The ratio is exact for one frequency; of several, it is
/// their mean weighted by the power of the p-th derivative, which the fast ones have most of. Where the first
/// differences have more than twice the variance itself, beyond chance, a motion of fewer than four frames a period is
/// taken for noise by all orders; then T is that of p = 0 without sigma. ∞: no order is.
double shortest_period(const Observation& observation, double sigma);

/// Fits polynomials of degree 3 (of three frames, 2) to the first frames of every component by least squares:
///    (x, v) at simulated time 0,   Σ = sigma² (BᵀB)⁻¹ + b bᵀ c²,
/// the first part the noise's. The second is what the polynomial leaves out: b = (BᵀB)⁻¹Bᵀ t^{d+1} is what a term of
/// the next order does to (x, v), and its coefficient is taken to be c = ω c_d/(d + 1), ω the shortest period's, c_d
/// the RMS of the fitted highest coefficients over all markers and components, less the noise's share. The window is a
/// quarter of the shortest period long, at least three frames; it is shortened by a fifth while its residuals are more
/// than the noise explains, by 4 standard deviations of χ², or what is left out more than a third of the noise, as all
/// markers may err by that together. Frames that are only forecast are left out, unless all are. A component that has
/// fewer samples than the polynomial has coefficients, or whose place in the model's frame hangs on another one that is
/// missing, is not seen. `observation.sigma` must be known; where the tracks scatter by more, their scatter
/// (track_noise.hpp) takes its place.
LocalStarts fit_local_starts(const Observation& observation);

}  // namespace pithball::optim
