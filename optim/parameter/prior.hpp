#pragma once
// Priors. Each kind is a residual in units of its standard deviation, like those of the data: ½ Σ r² is minus the log
// prior density.

#include <cmath>
#include <variant>

namespace pithball::optim {

/// Gaussian prior of p:  r = (p − mean)/deviation.
struct GaussianPrior {
  static constexpr const char* name = "gaussian";  ///< word in experiment files
  double mean = 0,                                 ///< unit of p
      deviation = 1;                               ///< unit of p, > 0

  /// r, in standard deviations.
  double residual(double p) const { return (p - mean) / deviation; }
  /// dr/dp, the same for all p.
  double slope(double) const { return 1 / deviation; }
};

/// Lognormal prior, p known within about a factor:  r = ln(p/median)/deviation.
struct LognormalPrior {
  static constexpr const char* name = "lognormal";  ///< word in experiment files
  double median = 1;                                ///< > 0, unit of p
  double deviation = 1;  ///< > 0, of ln p: approximately the relative standard deviation of p

  /// r, for p > 0.
  double residual(double p) const { return std::log(p / median) / deviation; }
  /// dr/dp, for p > 0.
  double slope(double p) const { return 1 / (p * deviation); }
};

/// p is at `value`, with few exceptions (a smoothed Laplace distribution):
///    ½r² = √(z² + ε²) − ε,   z = (p − value)/scale,   ε = 0.1.
/// Beyond ε the cost grows like |z|, so that p stays at `value` unless the data pull it away.
struct LaplacePrior {
  static constexpr const char* name = "laplace";  ///< word in experiment files
  static constexpr double smoothing = 0.1;        ///< ε
  double value = 0,                               ///< unit of p
      scale = 1;                                  ///< unit of p, > 0: the mean distance of exceptions

  /// r, with the sign of p − value.
  double residual(double p) const {
    const double z = (p - value) / scale;
    return z * std::sqrt(2 / (std::hypot(z, smoothing) + smoothing));  // √(2(√(z² + ε²) − ε)) with the sign of z
  }
  /// Variance of p in the Laplace distribution that this smooths, 2 scale². The curvature at the kink is 1/(ε scale²),
  /// which would underestimate it.
  double variance() const { return 2 * scale * scale; }
  /// dr/dp, > 0.
  double slope(double p) const {
    const double z = (p - value) / scale, root = std::hypot(z, smoothing);
    return std::sqrt((root + smoothing) / 2) / (root * scale);
  }
};

/// Neighbors on the mesh have similar values:  r = (p_a − p_b)/deviation, or ln(p_a/p_b)/deviation if `relative`, for
/// all pairs of neighbors with separate parameters. Neighbors are the two ends of a spring, or two springs that share a
/// particle. (A Gaussian Markov random field; Rue & Held 2005, section 3.2.)
struct SmoothPrior {
  static constexpr const char* name = "smooth";  ///< word in experiment files
  double deviation = 1;                          ///< > 0, of the difference of two neighbors: unit of p, or 1
  bool relative = false;                         ///< compares logarithms, of values that are > 0
  /// Its deviation is to be found from the recordings (prior_widths.hpp); here it is where that begins.
  bool open = false;

  /// r of two neighbors.
  double residual(double a, double b) const { return (relative ? std::log(a / b) : a - b) / deviation; }
  double slope(double p) const { return (relative ? 1 / p : 1) / deviation; }  ///< ∂r/∂a at a; −∂r/∂b at b
};

/// Any prior; experiment files use its `name`.
using Prior = std::variant<GaussianPrior, LognormalPrior, LaplacePrior, SmoothPrior>;

}  // namespace pithball::optim
