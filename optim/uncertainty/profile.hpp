#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "optim/parameter/parameter.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// The best fit with one entry of θ held.
struct ProfilePoint {
  double theta = 0;  ///< of the held entry
  double rise = 0;   ///< Δχ² = min over the others |r|² − |r(optimum)|²; negative: a better fit than the optimum
};

/// One side of a profile interval.
struct ProfileEnd {
  /// Where Δχ² reaches the threshold, or the most distant point tried; NaN: not computed.
  double theta = std::numeric_limits<double>::quiet_NaN();
  bool closed = false;     ///< whether the threshold is reached; if not, the data set no limit on this side
  bool exhausted = false;  ///< if not closed: the whole range was searched, and χ² never rises enough
  std::string reason = "";  ///< why it is not closed: "a bound", "no limit as far as …", "diverged …"; empty if closed
  /// Closed, but Δχ² jumps past the threshold here, as where contacts open or another minimum begins: it may be lower
  /// again beyond the jump.
  bool jumps = false;
};

/// Increase of the minimal χ² as one entry of θ is moved away from its estimate. Unlike a standard error it does not
/// assume linearity: the interval {Δχ² ≤ threshold} has the stated confidence to higher order (Venzon and Moolgavkar,
/// Applied Statistics 37, 1988), and stays open if the data set no limit.
struct Profile {
  std::vector<ProfilePoint> points;  ///< ascending in θ, including the optimum
  ProfileEnd lower,                  ///< below the optimum
      upper;                         ///< above it
  ProfilePoint lowest = {};          ///< the lowest point
  Vector lowest_theta = {};          ///< all of θ there, P; empty: no point is below the optimum
  /// Whether a point lies below the optimum by more than rounding: the search ended in a local minimum.
  bool found_better() const { return lowest.rise < -rounding; }
  /// The search ends when the relative decrease of the cost is 1e-10; Δχ² is in units of a residual's variance.
  static constexpr double rounding = 0.01;
};

/// A minimum of |r|², in units in which residuals have variance 1, and its neighborhood.
struct Optimum {
  const Residual& residual;  ///< must outlive this object
  Vector theta;              ///< P
  double square = 0;         ///< |r|² there
  /// H⁺, P×P, the inverse of JᵀJ on the determined directions: near the optimum Δχ² = ΔθᵀHΔθ. Zero rows: entries that
  /// are held.
  Eigen::MatrixXd inverse;
  Bounds bounds = {};  ///< of θ; default: none
  /// Of each entry, P: residuals are assumed more nearly linear in physical values than in θ. Empty: θ is the value.
  std::vector<Transform> transforms = {};
};

/// Settings of a profile of one entry of θ.
struct IntervalSought {
  Index entry = 0;           ///< index in θ
  Transform transform = {};  ///< of the entry: extrapolation is linear in the physical value p
  /// θ at the ends of the linearized interval, used as first guess; NaN: that end is not requested.
  double lower = std::numeric_limits<double>::quiet_NaN(),  ///< the lower end
      upper = std::numeric_limits<double>::quiet_NaN();     ///< the upper end
  double root = 1.96;                                       ///< √Δχ² at the ends
  double reach = 7;  ///< search range from the optimum, in θ. On a logarithmic scale 7 are three decades.
  /// Whether chord steps may be tried: H⁺ does not contain the effect of an undetermined entry on the others.
  bool by_chords = true;
  Index between = 0;                ///< number of additional points between the optimum and each end, for plotting
  MinimizerOptions minimizer = {};  ///< of the fits of the others if chord steps do not settle
  MinimizerWatch watch = {};        ///< of the same
};

/// A linearized interval with a larger deviation is considered invalid: its end is then off by about a tenth of the
/// half width.
inline constexpr double curved = 0.2;

/// The largest |Δχ²/root² − 1| over the ends of a linearized interval listed in `sought`; ∞ if one cannot be simulated.
/// The residual is evaluated once at each, with the others changed according to the covariance, Δθ_j = H⁺_jk/H⁺_kk (p −
/// p̂)/(dp/dθ_k). Δχ² includes the decrease predicted by the Jacobian J of the optimum for a step of the others, −H⁺(k)
/// Jᵀr with entry k held, since a profile follows a curved valley. `transposed`: w ↦ Jᵀw of `optimum.residual`, R to P.
double check_curvature(const Optimum& optimum, const IntervalSought& sought,
                       const std::function<Vector(const Vector&)>& transposed);

/// Computes the profile of one entry of θ around the optimum. At each held value the others follow by chord steps,
///    Δθ = −D⁻¹ H⁺(k) D⁻¹ g,   D = diag (dp/dθ)/(dp/dθ)_optimum,
/// with the gradient g there and the curvature of the optimum in physical values, two or three per point; differences
/// of gradients correct it (L-BFGS; Nocedal, Math. Comput. 35, 1980). If these do not settle, Levenberg–Marquardt must
/// converge. Ends are accurate to 0.5 % of √Δχ². A side ends where χ² is as far below the optimum as it should rise: it
/// is then the profile of another minimum. Throws InvalidArgument on settings that are not positive or an entry that
/// does not exist.
Profile compute_profile(const Optimum& optimum, const IntervalSought& sought);

}  // namespace pithball::optim
