#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "optim/parameter/transform.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// The best fit with one entry of θ held at a value.
struct ProfilePoint {
  double theta = 0;  ///< of the held entry
  double rise = 0;   ///< Δχ² = min over the others |r|² − |r(optimum)|²; below 0: a better fit than the optimum
};

/// One side of a profile interval.
struct ProfileEnd {
  /// Where the rise reaches the threshold, or the furthest point that was looked at; NaN: none was sought.
  double theta = std::numeric_limits<double>::quiet_NaN();
  bool closed = false;     ///< whether it does; if not, the data set no limit on this side
  bool exhausted = false;  ///< not closed: all of the range was looked at, and χ² never rises enough in it
  std::string reason = "";  ///< why it is not closed: "a bound", "no limit as far as …", "diverged …"; empty if it is
  /// Closed, but Δχ² jumps past the threshold here, as where contacts open: beyond the jump it may be lower again.
  bool jumps = false;
};

/// How the best possible fit worsens as one entry of θ is moved away from its estimate. Unlike a standard error it
/// needs no linearity: the interval {Δχ² ≤ threshold} has the promised confidence to higher order (Venzon and
/// Moolgavkar, Applied Statistics 37, 1988), and stays open where the data set no limit.
struct Profile {
  std::vector<ProfilePoint> points;  ///< ascending in θ, the optimum included
  ProfileEnd lower, upper;
  /// Whether a point lies below the optimum by more than rounding: the search had ended in a local minimum.
  bool found_better() const;
  /// The search ends when the cost falls by 1e-10 of itself; rises are in units of a residual's variance.
  static constexpr double rounding = 0.01;
};

/// A minimum of |r|², in units in which residuals have the variance 1, and what is known about its neighborhood.
struct Optimum {
  const Residual& residual;  ///< must outlive this object
  Vector theta;              ///< P
  double square = 0;         ///< |r|² there
  /// H⁺, P×P, the inverse of JᵀJ on the directions that are determined: near the optimum Δχ² = ΔθᵀHΔθ. Rows of zeros:
  /// entries that stay where they are.
  Eigen::MatrixXd inverse;
  Bounds bounds = {};
  /// Of each entry, P: residuals are taken to be straighter in physical values than in θ. Empty: θ is the value.
  std::vector<Transform> transforms = {};
};

/// Which interval is wanted of one entry of θ.
struct IntervalSought {
  Index entry = 0;
  Transform transform = {};  ///< of the entry: walks are straight in the physical value p
  /// θ at the ends of the linearized interval, where to look first; NaN: no such end is wanted.
  double lower = std::numeric_limits<double>::quiet_NaN(), upper = std::numeric_limits<double>::quiet_NaN();
  double root = 1.96;  ///< √Δχ² at the ends
  double reach = 7;    ///< how far from the optimum to look, in θ. On a logarithmic scale 7 are three decades.
  /// Whether chord steps may be tried: H⁺ does not say how the others follow an entry that it leaves undetermined.
  bool by_chords = true;
  Index between = 0;                ///< points besides, between the optimum and each end, for a curve to be drawn
  MinimizerOptions minimizer = {};  ///< of the fits of the others where chord steps do not settle
};

/// Deviations above this mark an interval as not that of the model: its end is then off by about a tenth of the half
/// width.
inline constexpr double curved = 0.2;

/// The worst |Δχ²/root² − 1| over the ends of a linearized interval, of which `sought` names those that are wanted; ∞
/// where one cannot be run. The residual is evaluated once at each, with the others moved along as the covariance says,
/// Δθ_j = H⁺_jk/H⁺_kk (p − p̂)/(dp/dθ_k). Δχ² is that of this place, and that after the step of the others which the
/// Jacobian J of the optimum foretells there, −H⁺(k) Jᵀr with entry k held, since a profile follows a valley that
/// bends. `transposed`: w ↦ Jᵀw of `optimum.residual`, R to P.
double check_curvature(const Optimum& optimum, const IntervalSought& sought,
                       const std::function<Vector(const Vector&)>& transposed);

/// Profiles one entry of θ about the optimum. At each held value the others follow by chord steps,
///    Δθ = −D⁻¹ H⁺(k) D⁻¹ g,   D = diag (dp/dθ)/(dp/dθ)_optimum,
/// with the gradient g of the place and the curvature that the optimum has in physical values, two or three a point;
/// differences of gradients correct it (L-BFGS; Nocedal, Math. Comput. 35, 1980). Where these do not settle,
/// Levenberg–Marquardt must converge. Ends are found to 0.5 % of √Δχ². Throws InvalidArgument on settings that are not
/// positive or an entry that does not exist.
Profile compute_profile(const Optimum& optimum, const IntervalSought& sought);

}  // namespace pithball::optim
